import { describe, expect, it } from 'vitest';
import { createHttpClient, HttpError } from '#shared/clients/http-client.ts';
import { type ContractKey, contractOf } from '#shared/domain/market/contract.ts';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import { createEthereumNode } from '#shared/providers/ethereum-node/ethereum-node.ts';
import { countingRequests } from '#shared/use-cases/request-count.ts';
import { APES, eth, NOON, PUNKS } from '#test/support/builders.ts';
import {
  blocksAskedFor,
  type ChainTransaction,
  HEAD,
  hashOf,
  type NodeLimits,
  startEthereumNode,
  timeOf,
} from '#test/support/ethereum-node/ethereum-node-double.ts';
import {
  BUYER,
  ether,
  FEES,
  orderFulfilled,
  SEAPORT_1_6,
  SELLER,
  to,
  token,
  transfer,
} from '#test/support/ethereum-node/event-logs.ts';
import { FIREWALL_PAGE, MONTHLY_CAPACITY } from '#test/support/refusals.ts';

const { signal } = new AbortController();
const apes = contractOf(APES);
const HEAD_TIME = NOON - 5 * SECOND;

type Given = {
  readonly instead?: Parameters<typeof startEthereumNode>[2];
  readonly readForMs?: number;
  /** The error of the HTTP client for a request with this body; undefined to send the request. */
  readonly failsFor?: (body: string) => Error | undefined;
  readonly path?: string;
  readonly key?: string;
};

async function world(
  transactions: readonly ChainTransaction[],
  limits: Partial<NodeLimits> = {},
  { instead, readForMs, failsFor, path, key }: Given = {},
) {
  const node = await startEthereumNode(transactions, { headTime: HEAD_TIME, ...limits }, instead);
  const http = createHttpClient({
    ...{ deadlineMs: 5000, maxBodyBytes: 4_000_000, maxConnections: 2 },
  });
  const address = path === undefined ? node.address : `${node.url}${path}`;
  const upstream = createEthereumNode(
    {
      http: {
        request: async (request) => {
          const failure = failsFor?.(String(request.body ?? ''));
          if (failure !== undefined) throw failure;
          return await http.request(request);
        },
      },
      baseUrl: node.url,
      apiKey: async () => key ?? address,
      now: () => NOON,
    },
    readForMs,
  );
  const ask = (span = { from: NOON - DAY }) => upstream.salesBetween(apes, span, signal);
  const read = async (span: { readonly from: Instant; readonly to?: Instant }) =>
    valueIn(await ask(span));
  const methods = () => node.calls().map(({ method }) => method);
  /** The number of blocks in each request for logs. */
  const widths = () =>
    node.calls().flatMap(({ method, params }) => {
      if (method !== 'eth_getLogs') return [];
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
      return [Number(toBlock) - Number(fromBlock) + 1];
    });
  return {
    node,
    upstream,
    ask,
    read,
    methods,
    widths,
    [Symbol.asyncDispose]: node[Symbol.asyncDispose],
  };
}

function valueIn<Value>(outcome: Outcome<Value>): Value {
  if (outcome.kind !== 'ok') throw new Error(`refused: ${JSON.stringify(outcome)}`);
  return outcome.value;
}

it('reads a fulfilled listing as a sale, at the full price that the buyer paid', async () => {
  const block = HEAD - 1000;
  const listing = orderFulfilled({
    offerer: SELLER,
    recipient: BUYER,
    offer: [token(apes.address, 8817n)],
    consideration: [to(SELLER, ether(eth('9.25'))), to(FEES, ether(eth('0.25')))],
  });
  const logs = [transfer(apes.address, SELLER, BUYER, 8817n), listing];
  await using server = await world([{ block, logs }]);

  const read = await server.upstream.salesBetween(apes, { from: NOON - DAY }, signal);

  const time = timeOf(block, HEAD_TIME);
  expect(read).toEqual({
    kind: 'ok',
    value: {
      since: NOON - DAY,
      sales: [
        {
          ...{ time, price: eth('9.5'), tokenIds: ['8817'], transactionHash: hashOf(0) },
          record: expect.objectContaining({
            token_address: apes.address,
            seller_address: SELLER,
            buyer_address: BUYER,
            marketplace_address: SEAPORT_1_6,
            price: '9500000000000000000',
            block_number: `${block}`,
          }),
          mark: '0',
        },
      ],
    },
  });
});

const listed = (tokenId: bigint, price: bigint): ChainTransaction['logs'] => [
  transfer(apes.address, SELLER, BUYER, tokenId),
  orderFulfilled({
    offerer: SELLER,
    recipient: BUYER,
    offer: [token(apes.address, tokenId)],
    consideration: [to(SELLER, ether(price))],
  }),
];

/** One sale in each of these blocks; its token id is the block number. */
const salesInBlocks = (...blocks: readonly number[]): readonly ChainTransaction[] =>
  blocks.map((block) => ({ block, logs: listed(BigInt(block), eth('9')) }));

const blocksOf = (read: { readonly sales: readonly { readonly tokenIds: readonly string[] }[] }) =>
  read.sales.map(({ tokenIds }) => Number(tokenIds[0]));

describe('the sales of a time range', () => {
  it('reads exactly the sales within a time range, even if slots have no block', async () => {
    const around = (block: number, count: number) =>
      Array.from({ length: count }, (_, index) => HEAD - block - index);
    const blocks = [...around(2990, 20), ...around(5990, 40), ...around(6050, 20)];
    await using server = await world(salesInBlocks(...blocks));
    const [from, end] = [timeOf(HEAD - 6000, HEAD_TIME), timeOf(HEAD - 3000, HEAD_TIME)];

    const read = await server.read({ from, to: end });

    expect(read.since).toBe(from);
    expect(blocksOf(read)).toEqual([...around(3000, 10), ...around(5990, 11)]);
    for (const { time, tokenIds } of read.sales) {
      expect(time).toBe(timeOf(Number(tokenIds[0]), HEAD_TIME));
    }
  });

  it('reads the price of a sale exactly to the wei', async () => {
    const price = 9_000_000_000_000_000_001n;
    await using server = await world([{ block: HEAD - 1, logs: listed(1n, price) }]);

    expect((await server.read({ from: NOON - HOUR })).sales).toMatchObject([{ price }]);
  });

  it('uses the time of the block for a sale, even if logs contain times', async () => {
    await using server = await world(salesInBlocks(HEAD - 10), { writesTimes: true });

    const read = await server.read({ from: NOON - HOUR });

    expect(read.sales).toMatchObject([{ time: timeOf(HEAD - 10, HEAD_TIME) }]);
    expect(server.methods()).toEqual([
      'eth_chainId',
      'eth_getBlockByNumber',
      'eth_getLogs',
      'eth_getTransactionReceipt',
    ]);
  });

  it('returns no sales if nothing was sold', async () => {
    const gift = [transfer(apes.address, SELLER, BUYER, 1n)];
    await using server = await world([{ block: HEAD, logs: gift }]);

    expect(await server.read({ from: NOON - HOUR })).toEqual({ sales: [], since: NOON - HOUR });
  });

  it('requests no receipt for a mint or a burn', async () => {
    const made = [transfer(apes.address, `0x${'0'.repeat(40)}`, BUYER, 1n)];
    await using server = await world([{ block: HEAD, logs: made }]);

    await server.read({ from: NOON - HOUR });

    expect(server.methods()).not.toContain('eth_getTransactionReceipt');
  });

  it('reads the sales of at most a hundred transactions for one answer, and earlier sales for the next answer', async () => {
    const every = Array.from({ length: 150 }, (_, index) => HEAD - index);
    // The hundredth transaction is in the same block as the next one.
    const blocks = [...every.slice(0, 100), HEAD - 99, ...every.slice(100)];
    await using server = await world(salesInBlocks(...blocks));
    const from = NOON - HOUR;

    const newest = await server.read({ from });
    const before = await server.read({ from, to: newest.since });

    expect(newest.since).toBe(timeOf(HEAD - 98, HEAD_TIME));
    expect(before.since).toBe(from);
    expect(new Set([...blocksOf(newest), ...blocksOf(before)]).size).toBe(150);
  });

  it('reports a timeout if no sale could be read in time', async () => {
    await using server = await world(salesInBlocks(HEAD - 1, HEAD - 3000), {}, { readForMs: 0 });

    const outcome = await server.upstream.salesBetween(apes, { from: NOON - DAY }, signal);

    expect(outcome).toEqual({ kind: 'failed', reason: 'timeout' });
  });
});

describe('a node that limits the block range', () => {
  it.each([
    [-32_005, 'query returned more than 10000 results'],
    [
      -32_600,
      'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.',
    ],
    [
      -32_602,
      'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range',
    ],
    [-32_614, 'eth_getLogs is limited to a 2,000 range'],
    [-32_701, 'exceed maximum block range: 50000'],
    [35, 'ranges over 10000 blocks are not supported on freetier'],
    [-32_005, 'limit exceeded'],
    [-32_000, 'logs matched by query exceeds limit of 10000'],
    [-32_002, 'query timeout exceeded'],
  ])('halves the block range after the error %d "%s"', async (code, message) => {
    const blocks = [HEAD - 5, HEAD - 1500, HEAD - 2600];
    await using server = await world(salesInBlocks(...blocks), {
      mostBlocks: 1000,
      tooWide: { code, message },
    });

    const read = await server.read({ from: NOON - 9 * HOUR });

    expect(blocksOf(read)).toEqual(blocks);
    expect(server.widths()).toEqual([2000, 1000, 1000, 701]);
  });

  it('remembers the block range that a node allows', async () => {
    await using server = await world([], { mostBlocks: 500 });
    await server.read({ from: NOON - 10 * HOUR });
    const before = server.widths().length;

    await server.read({ from: NOON - 10 * HOUR });

    expect(Math.max(...server.widths().slice(before))).toBe(500);
  });

  it('makes at most twenty requests for one answer, and continues at the reached block for the next answer', async () => {
    const blocks = [HEAD - 5, HEAD - 120, HEAD - 390];
    await using server = await world(salesInBlocks(...blocks), { mostBlocks: 10 });
    const from = timeOf(HEAD - 400, HEAD_TIME);
    const found = [];
    let end: Instant | undefined;

    while (end !== from) {
      const before = server.widths().length;
      const read = await server.read({ from, ...(end === undefined ? {} : { to: end }) });
      found.push(...blocksOf(read));
      end = read.since;
      expect(server.widths().length - before).toBeLessThanOrEqual(20);
    }

    expect(found).toEqual(blocks);
  });

  it('halves the rejected range even if it was smaller than the maximum', async () => {
    await using server = await world([], { mostBlocks: 60 });

    await server.read({ from: timeOf(HEAD - 100, HEAD_TIME) });

    expect(server.widths().slice(0, 2)).toEqual([102, 51]);
  });

  it('does not reduce the block range if the node lacks the blocks', async () => {
    const message = 'block range extends beyond current head block';
    const tooWide = { code: -32_000, message };
    await using server = await world([], { mostBlocks: 0, tooWide });

    expect(await server.ask()).toEqual({ kind: 'failed', reason: 'server_error' });
    expect(server.widths()).toHaveLength(1);
  });

  it('reports a failure if a node rejects even a single block', async () => {
    await using server = await world([], { mostBlocks: 0 });

    expect(await server.ask()).toEqual({ kind: 'failed', reason: 'too_large' });
  });
});

describe('a node that is too slow for many blocks', () => {
  const message = 'Request timeout on the free tier, please upgrade your tier to the paid one';
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, error: { code: 30, message } });
  const blocks = [HEAD - 5, HEAD - 1500];
  const from = timeOf(HEAD - 1900, HEAD_TIME);

  it.each([408, 200, 500])(
    'halves the block range, and still reads all sales, after status %d with code 30',
    async (status) => {
      const slowFrom = { blocks: 600, answer: { status, body } };
      await using server = await world(salesInBlocks(...blocks), { slowFrom });

      const read = await server.read({ from });

      expect(blocksOf(read)).toEqual(blocks);
      expect(server.widths().slice(0, 4)).toEqual([1920, 960, 480, 480]);
    },
  );

  it.each([
    ['of a call', new HttpError('timeout'), 'ok'],
    ['of the whole answer', new DOMException('too late', 'TimeoutError'), 'failed'],
  ])('halves the block range of later requests after the deadline %s', async (_, failure, kind) => {
    const failsFor = (sent: string) => (blocksAskedFor(sent) >= 1000 ? failure : undefined);
    await using server = await world(salesInBlocks(...blocks), {}, { failsFor });

    const first = await server.ask({ from });
    const read = await server.read({ from });

    expect(first.kind).toBe(kind);
    expect(blocksOf(read)).toEqual(blocks);
    expect(server.widths().at(-1)).toBe(960);
  });

  it('reports a timeout if even 125 blocks take too long', async () => {
    const slowFrom = { blocks: 1, answer: { status: 408, body } };
    await using server = await world([], { slowFrom });

    expect(await server.ask({ from })).toEqual(LATE);
    expect(server.widths()).toEqual([1920, 960, 480, 240, 125]);
  });

  it('keeps the smaller block range of a node that allows few blocks', async () => {
    const late = { status: 408, body };
    let asked = 0;
    const instead = ({ body: sent }: { readonly body: string }) => {
      asked += sent.includes('eth_getLogs') ? 1 : 0;
      return asked === 12 ? late : undefined;
    };
    await using server = await world([], { mostBlocks: 10 }, { instead });

    await server.ask({ from });
    await server.ask({ from });

    expect(Math.max(...server.widths().slice(12))).toBeLessThanOrEqual(10);
  });
});

const LATE = { kind: 'failed', reason: 'timeout' };

describe('a node without batches', () => {
  it.each([
    [500, 31, 'Batch of more than 3 requests are not allowed on free tier', false],
    [500, 31, 'Batch of more than 3 requests are not allowed on free tier', true],
    [200, 31, 'not allowed on free tier', true],
    [200, -32_000, 'batch limit 100 exceeded (can increase by --rpc.batch.limit)', false],
    [200, -32_000, 'batch limit exceeded', true],
    [200, -32_000, 'batch size too large', false],
    [413, -32_600, 'batch too large', false],
    [200, -32_003, 'response too large', true],
    [400, -32_602, 'Number of requests in batch exceeds --rpc-max-batch-size.', false],
  ])(
    'sends single calls after status %d with code %d "%s"',
    async (status, code, message, isArray) => {
      const blocks = [HEAD - 5, HEAD - 6, HEAD - 7];
      const tooMany = { status, code, message, isArray };
      await using server = await world(salesInBlocks(...blocks), { mostPerBatch: 1, tooMany });

      const read = await server.read({ from: NOON - HOUR });
      const again = await server.read({ from: NOON - HOUR });

      expect(blocksOf(read)).toEqual(blocks);
      expect(again).toEqual(read);
      expect(server.node.requests.filter(({ body }) => body.startsWith('['))).toHaveLength(1);
    },
  );

  it.each([
    [503, 'down for maintenance', { kind: 'failed', reason: 'server_error' }],
    [429, { code: 31, message: 'batch' }, { kind: 'throttled' }],
    [200, { code: -32_005, message: 'batch request rate limited' }, { kind: 'throttled' }],
    [200, { code: -32_603, message: 'internal error' }, { kind: 'failed', reason: 'server_error' }],
  ])(
    'keeps sending batches to a node after a failure that does not reject batches: %d %j',
    async (status, error, refusal) => {
      const body = JSON.stringify([{ jsonrpc: '2.0', id: 0, error }]);
      const instead = ({ body: sent }: { readonly body: string }) =>
        sent.startsWith('[') ? { status, body } : undefined;
      await using server = await world(salesInBlocks(HEAD - 5, HEAD - 6), {}, { instead });

      const outcomes = [await server.ask(), await server.ask()];

      expect(outcomes).toEqual([refusal, refusal]);
      expect(server.node.requests.filter(({ body: sent }) => sent.startsWith('['))).toHaveLength(2);
    },
  );

  it('sends single calls to a node without batches, and no further batch', async () => {
    const blocks = [HEAD - 5, HEAD - 6, HEAD - 7];
    await using server = await world(salesInBlocks(...blocks), { mostPerBatch: 1 });

    const read = await server.read({ from: NOON - HOUR });
    const again = await server.read({ from: NOON - HOUR });

    expect(blocksOf(read)).toEqual(blocks);
    expect(again).toEqual(read);
    expect(server.node.requests.filter(({ body }) => body.startsWith('['))).toHaveLength(1);
  });
});

describe('a rejection by a node', () => {
  const rpc = (code: number, message: string) =>
    JSON.stringify({ jsonrpc: '2.0', id: 0, error: { code, message } });

  it.each<[number, string, object]>([
    [401, '{}', { kind: 'denied', reason: 'key' }],
    [403, 'forbidden', { kind: 'denied', reason: 'key' }],
    [404, '{}', { kind: 'denied', reason: 'key' }],
    [429, '{}', { kind: 'throttled' }],
    [429, rpc(-32_005, 'limit exceeded'), { kind: 'throttled' }],
    ...[200, 403, 429].map((status): [number, string, object] => [
      status,
      rpc(-32_600, 'Monthly capacity limit exceeded. Visit https://dashboard.alchemy.com'),
      { kind: 'denied', reason: 'quota' },
    ]),
    [402, '{}', { kind: 'denied', reason: 'quota' }],
    [401, '<!DOCTYPE html><title>Just a moment...</title>', { kind: 'denied', reason: 'blocked' }],
    [403, '\n<html><body>Access denied</body></html>', { kind: 'denied', reason: 'blocked' }],
    [200, rpc(429, 'throttles this stack'), { kind: 'throttled' }],
    [403, rpc(-32_600, MONTHLY_CAPACITY), { kind: 'denied', reason: 'quota' }],
    [429, rpc(429, MONTHLY_CAPACITY), { kind: 'denied', reason: 'quota' }],
    [200, rpc(429, MONTHLY_CAPACITY), { kind: 'denied', reason: 'quota' }],
    [200, rpc(-32_005, 'monthly usage limit exceeded'), { kind: 'denied', reason: 'quota' }],
    [403, FIREWALL_PAGE, { kind: 'denied', reason: 'blocked' }],
    [
      200,
      rpc(-32_005, 'daily request count exceeded, request rate limited'),
      { kind: 'throttled' },
    ],
    [200, rpc(-32_601, 'no such method'), { kind: 'unsupported', reason: 'retired' }],
    [400, rpc(-32_602, 'invalid params'), { kind: 'failed', reason: 'bad_request' }],
    [200, rpc(-32_000, 'unauthorized: api key missing'), { kind: 'denied', reason: 'key' }],
    [200, rpc(-32_602, 'Archive requests need a token'), { kind: 'failed', reason: 'bad_request' }],
    [200, rpc(-32_603, 'internal error'), { kind: 'failed', reason: 'server_error' }],
    [503, '{}', { kind: 'failed', reason: 'server_error' }],
    [302, '', { kind: 'failed', reason: 'redirect' }],
    [400, 'what?', { kind: 'failed', reason: 'bad_request' }],
  ])('reads the answer %d %s of a node as a rejection', async (status, body, outcome) => {
    await using server = await world([], {}, { instead: () => ({ status, body }) });

    expect(await server.ask()).toEqual(outcome);
  });

  it.each([
    ['a page of HTML', '<html></html>'],
    ['an empty body', ''],
    ['no result', '{"jsonrpc":"2.0","id":0}'],
    ['another result', '{"jsonrpc":"2.0","id":7,"result":"0x1"}'],
    ['many results', '[]'],
    ['numbers', '{"jsonrpc":"2.0","id":0,"result":1}'],
  ])("reports a node's answer that is %s as garbage", async (_, body) => {
    const instead = (_request: unknown, count: number) =>
      count === 2 ? { status: 200, body } : undefined;
    await using server = await world([], {}, { instead });

    expect(await server.ask()).toEqual({ kind: 'failed', reason: 'garbage' });
  });

  it.each<[string, ContractKey, object]>([
    ['another chain', `polygon:${apes.address}`, { kind: 'unsupported', reason: 'chain' }],
    ['CryptoPunks, which are not sold on Seaport', PUNKS, { kind: 'not_found' }],
  ])('sends a node no request for %s', async (_, key, refusal) => {
    await using server = await world([]);

    const outcome = await server.upstream.salesBetween(
      contractOf(key),
      { from: NOON - DAY },
      signal,
    );

    expect(outcome).toEqual(refusal);
    expect(server.node.requests).toEqual([]);
  });

  it('rejects a node of another chain', async () => {
    await using server = await world(salesInBlocks(HEAD), { chainId: '0x89' });

    expect(await server.ask()).toEqual({ kind: 'unsupported', reason: 'chain' });
  });

  it('rejects a node whose newest block is too old or in the future', async () => {
    await using behind = await world([], { headTime: NOON - 6 * MINUTE });
    await using ahead = await world([], { headTime: NOON + 6 * MINUTE });

    expect(await behind.ask()).toEqual({ kind: 'not_ready' });
    expect(await ahead.ask()).toEqual({ kind: 'failed', reason: 'garbage' });
  });

  it('reports a network failure after a call was sent twice over closed connections', async () => {
    let sent = 0;
    const upstream = createEthereumNode({
      http: {
        request: async () => {
          sent += 1;
          throw new HttpError('network');
        },
      },
      ...{ baseUrl: 'https://node.example.com', apiKey: async () => 'key', now: () => NOON },
    });

    const outcome = await upstream.salesBetween(apes, { from: NOON - DAY }, signal);

    expect([outcome, sent]).toEqual([{ kind: 'failed', reason: 'network' }, 2]);
  });

  it('reports that a node is not ready while a receipt is missing', async () => {
    const missing = '{"jsonrpc":"2.0","id":0,"result":null}';
    const instead = ({ body }: { readonly body: string }) =>
      body.includes('Receipt') ? { status: 200, body: missing } : undefined;
    await using server = await world(salesInBlocks(HEAD), {}, { instead });

    expect(await server.ask()).toEqual({ kind: 'not_ready' });
  });

  it('rejects an answer of a node with logs that were not requested', async () => {
    const instead = ({ body }: { readonly body: string }) => {
      if (!body.includes('eth_getLogs')) return undefined;
      const log = {
        ...transfer(apes.address, SELLER, BUYER, 1n),
        blockNumber: '0x1',
        blockHash: hashOf(1),
        transactionHash: hashOf(2),
      };
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 0, result: [log] }) };
    };
    await using server = await world([], {}, { instead });

    expect(await server.ask()).toEqual({ kind: 'failed', reason: 'garbage' });
  });

  it('hides the address of a node, which contains the key', async () => {
    await using server = await world([], {}, { path: '/v3/wrong-key' });

    const refused = await server.ask();

    expect(refused).toEqual({ kind: 'denied', reason: 'key' });
    expect(server.node.requests[0]?.path).toBe('/v3/wrong-key');
  });

  it.each(['a/../key?', 'ftp://node.example.com', ''])(
    'uses a key of a node that is not a URL, %j, as a path',
    async (key) => {
      await using server = await world([], {}, { key });

      expect(await server.ask()).toEqual({ kind: 'denied', reason: 'key' });
      expect(server.node.requests[0]?.path).toBe(`/${encodeURIComponent(key)}`);
    },
  );
});

it('counts all requests for an answer, including those that a limited block range adds', async () => {
  await using quick = await world([]);
  await using narrow = await world([], { mostBlocks: 500 });

  const counted = [
    await countingRequests(() => quick.ask()),
    await countingRequests(() => narrow.ask()),
    await countingRequests(() => quick.ask({ from: NOON - HOUR })),
  ].map(({ requests }) => requests);

  const asked = [quick, narrow].map(({ methods }) => methods().length);
  expect([(counted[0] ?? 0) + (counted[2] ?? 0), counted[1]]).toEqual(asked);
  expect(counted[1]).toBeGreaterThan(counted[0] ?? 0);
});
