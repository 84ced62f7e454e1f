import {
  type Hex,
  isAddress,
  isHash,
  numberToHex,
  pad,
  type RpcBlock,
  type RpcTransactionReceipt,
} from 'viem';
import * as z from 'zod';
import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import { type ReceivedRequest, startHttpServer } from '#test/support/http-server.ts';
import { withoutUserAgent } from '#test/support/user-agent.ts';
import type { EventLog } from './event-logs.ts';

/** The path of the fake; it contains a key, as with many nodes. */
const SECRET_PATH = '/v3/key-of-the-node';

export const HEAD = 24_000_000;

/** A transaction of the fake's chain. */
export type ChainTransaction = { readonly block: number; readonly logs: readonly EventLog[] };

export type NodeLimits = {
  /** The maximum number of blocks in one `eth_getLogs`. */
  readonly mostBlocks?: number;
  /** The error for a request for more blocks. */
  readonly tooWide?: { readonly code: number; readonly message: string };
  readonly mostPerBatch?: number;
  /** The rejection of larger batches: a single error, or an error for each call. */
  readonly tooMany?: {
    readonly status: number;
    readonly code: number;
    readonly message: string;
    readonly isArray?: boolean;
  };
  /** An `eth_getLogs` of at least this number of blocks is too slow, and gets this answer. */
  readonly slowFrom?: { readonly blocks: number; readonly answer: NodeAnswer };
  /** Whether logs contain the time of their block. */
  readonly writesTimes?: boolean;
  readonly chainId?: Hex;
  /** The time of the last block. */
  readonly headTime: Instant;
};

type NodeLog = RpcTransactionReceipt['logs'][number];

export type NodeAnswer = { readonly status: number; readonly body: string };

/** The time of a block of the fake's chain; one slot in a hundred has no block. */
export function timeOf(block: number, headTime: Instant): Instant {
  const slot = (number: number) => number + Math.floor(number / 100);
  return headTime - (slot(HEAD) - slot(block)) * 12 * SECOND;
}

export function hashOf(index: number): Hex {
  return numberToHex(index + 1, { size: 32 });
}

/**
 * A fake Ethereum node with the methods that the provider calls. It follows the JSON-RPC
 * specification (ethereum/execution-apis), and uses the types of viem. The fake rejects the same
 * requests as real nodes: quantities with leading zeros, unknown methods, wide ranges, large
 * batches.
 */
export async function startEthereumNode(
  transactions: readonly ChainTransaction[],
  limits: NodeLimits,
  instead: (request: ReceivedRequest, count: number) => NodeAnswer | undefined = () => undefined,
) {
  const node = createNode(transactions, limits);
  const server = await startHttpServer((response, request, count) => {
    const { slowFrom } = limits;
    const isSlow = slowFrom !== undefined && blocksAskedFor(request.body) >= slowFrom.blocks;
    const late = isSlow ? slowFrom.answer : undefined;
    const { status, body } =
      instead(request, count) ?? withoutUserAgent(request.headers) ?? late ?? node(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  /** The received calls, as method and parameters. */
  const calls = () => server.requests.flatMap(({ body }) => [Sent.parse(JSON.parse(body))].flat());
  return { ...server, calls, address: `${server.url}${SECRET_PATH}` };
}

const Call = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.int(),
  method: z.string(),
  params: z.array(z.unknown()),
});
type Call = z.output<typeof Call>;
const Sent = z.union([Call, z.array(Call).min(1)]);

class RpcRefusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const invalid = (what: string) => new RpcRefusal(-32602, `invalid argument: ${what}`);

function createNode(transactions: readonly ChainTransaction[], limits: NodeLimits) {
  const { mostBlocks = 10_000, mostPerBatch = 100, chainId = '0x1', headTime } = limits;
  const tooWide = limits.tooWide ?? {
    code: -32614,
    message: `eth_getLogs is limited to a ${mostBlocks} range`,
  };
  const tooMany = limits.tooMany ?? {
    ...{ status: 200, code: -32600, message: `batch of more than ${mostPerBatch} requests` },
  };

  const logsOf = (index: number): NodeLog[] => {
    const { block, logs } = transactions[index] ?? { block: 0, logs: [] };
    return logs.map(({ address, topics, data }, position) => ({
      ...{ address, topics: [...topics] as [], data },
      blockNumber: numberToHex(block),
      blockHash: blockHashOf(block),
      blockTimestamp: numberToHex(timeOf(block, headTime) / SECOND),
      transactionHash: hashOf(index),
      transactionIndex: numberToHex(index),
      logIndex: numberToHex(position),
      removed: false,
    }));
  };
  const written = (log: NodeLog): NodeLog => {
    if (limits.writesTimes === true) return log;
    const old = omit(log, 'blockTimestamp');
    return old;
  };

  const methods: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    eth_chainId: () => chainId,

    eth_getBlockByNumber: ([tag, isHydrated]) => {
      if (typeof isHydrated !== 'boolean') throw invalid('hydrated transactions');
      const number = tag === 'latest' ? HEAD : quantityIn(tag);
      return number > HEAD ? null : blockOf(number, timeOf(number, headTime));
    },

    eth_getLogs: ([filter]) => {
      const asked = Filter.safeParse(filter).data;
      if (asked === undefined) throw invalid('filter');
      const { address, topics } = asked;
      const from = quantityIn(asked.fromBlock);
      const to = quantityIn(asked.toBlock);
      if (from > to) throw invalid('block range');
      if (to > HEAD) throw new RpcRefusal(-32000, 'block range extends beyond current head block');
      if (to - from >= mostBlocks) throw new RpcRefusal(tooWide.code, tooWide.message);
      return transactions.flatMap(({ block }, index) =>
        block < from || block > to
          ? []
          : logsOf(index)
              .filter((log) => log.address.toLowerCase() === address.toLowerCase())
              .filter((log) =>
                topics.every((any, position) => any.includes(log.topics[position] ?? '')),
              )
              .map(written),
      );
    },

    eth_getTransactionReceipt: ([hash]) => {
      if (typeof hash !== 'string' || !isHash(hash)) throw invalid('transaction hash');
      const index = transactions.findIndex((_, at) => hashOf(at) === hash);
      return index === -1
        ? null
        : receiptOf(transactions[index]?.block ?? 0, hash, logsOf(index).map(written));
    },
  };

  const answerTo = ({ id, method, params }: Call) => {
    try {
      const call = methods[method];
      if (call === undefined) {
        throw new RpcRefusal(-32601, `the method ${method} does not exist/is not available`);
      }
      return { jsonrpc: '2.0', id, result: call(params) };
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error;
      return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } };
    }
  };

  return ({ method, path, body, headers }: ReceivedRequest): NodeAnswer => {
    if (path !== SECRET_PATH) return { status: 401, body: '{"error":"invalid project id"}' };
    const sent = Sent.safeParse(JSON.parse(body)).data;
    const isRequest = method === 'POST' && headers['content-type'] === 'application/json';
    if (!isRequest || sent === undefined) return { status: 400, body: refused('invalid request') };
    if (!Array.isArray(sent)) return { status: 200, body: JSON.stringify(answerTo(sent)) };
    if (sent.length > mostPerBatch) {
      const error = { code: tooMany.code, message: tooMany.message };
      const each = sent.map(({ id }) => ({ jsonrpc: '2.0', id, error }));
      const one = { jsonrpc: '2.0', id: null, error };
      return {
        status: tooMany.status,
        body: JSON.stringify(tooMany.isArray === true ? each : one),
      };
    }
    // The specification allows answers in any order.
    return { status: 200, body: JSON.stringify(sent.map(answerTo).toReversed()) };
  };
}

const refused = (message: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message } });

/** The number of blocks of an `eth_getLogs`; 0 for other calls. */
export function blocksAskedFor(body: string): number {
  const calls = [Sent.safeParse(JSON.parse(body)).data ?? []].flat();
  const spans = calls.map(({ params: [filter] }) => {
    const asked = Filter.safeParse(filter).data;
    return asked === undefined ? 0 : quantityIn(asked.toBlock) - quantityIn(asked.fromBlock) + 1;
  });
  return Math.max(0, ...spans);
}

const Filter = z.strictObject({
  address: z.string().refine((text) => isAddress(text)),
  fromBlock: z.string(),
  toBlock: z.string(),
  topics: z.array(z.array(z.string())),
});

function quantityIn(value: unknown): number {
  const isQuantity = typeof value === 'string' && /^0x(0|[1-9a-f][0-9a-f]*)$/.test(value);
  if (!isQuantity) throw invalid('quantity');
  return Number(value);
}

const ZERO = pad('0x', { size: 20 });
const EMPTY_WORD = pad('0x', { size: 32 });
const BLOOM = pad('0x', { size: 256 });
const blockHashOf = (block: number) => pad(numberToHex(block), { size: 32 });

function blockOf(number: number, time: Instant) {
  return {
    number: numberToHex(number),
    timestamp: numberToHex(time / SECOND),
    hash: blockHashOf(number),
    parentHash: blockHashOf(number - 1),
    transactions: [],
    baseFeePerGas: '0x1',
    blobGasUsed: '0x0',
    difficulty: '0x0',
    excessBlobGas: '0x0',
    extraData: '0x',
    gasLimit: '0x3938700',
    gasUsed: '0x0',
    logsBloom: BLOOM,
    miner: ZERO,
    mixHash: EMPTY_WORD,
    nonce: '0x0000000000000000',
    receiptsRoot: EMPTY_WORD,
    sealFields: [],
    sha3Uncles: EMPTY_WORD,
    size: '0x220',
    stateRoot: EMPTY_WORD,
    totalDifficulty: null,
    transactionsRoot: EMPTY_WORD,
    uncles: [],
    withdrawals: [],
    withdrawalsRoot: EMPTY_WORD,
  } satisfies RpcBlock;
}

function receiptOf(block: number, hash: Hex, logs: NodeLog[]) {
  return {
    blockHash: blockHashOf(block),
    blockNumber: numberToHex(block),
    contractAddress: null,
    cumulativeGasUsed: '0x5208',
    effectiveGasPrice: '0x3b9aca00',
    from: ZERO,
    gasUsed: '0x5208',
    logs,
    logsBloom: BLOOM,
    status: '0x1',
    to: ZERO,
    transactionHash: hash,
    transactionIndex: '0x0',
    type: '0x2',
  } satisfies RpcTransactionReceipt;
}
