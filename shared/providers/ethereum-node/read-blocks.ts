import { TradeRecord } from '#shared/domain/archive/trade.ts';
import type { Contract } from '#shared/domain/market/contract.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import { GARBAGE } from '#shared/providers/prices.ts';
import type { Sale } from '#shared/use-cases/upstream.ts';
import { Block, Logs, Receipt } from './answers.ts';
import { numberOf } from './blocks.ts';
import type { CallNode } from './json-rpc.ts';
import { salesIn, type TokenSale } from './seaport.ts';
import { TRANSFER_TOPICS, transfersIn } from './transfers.ts';

/** The range of blocks in a query, until the node allows fewer. */
const MOST_BLOCKS = 2000;
/**
 * Timeouts reduce the range only to this minimum, because a node that hangs is slow even for one
 * block.
 */
const FEWEST_BLOCKS = 125;
/** Maximum numbers of log queries and of transactions read for one answer. */
const MOST_QUESTIONS = 20;
const MOST_TRANSACTIONS = 100;
/** Number of transactions in a batch. */
const TRANSACTIONS_AT_ONCE = 20;

type Blocks = { readonly first: number; readonly last: number };

/** Sales, and the first block from which they are complete. */
type BlocksRead = { readonly sales: readonly Sale[]; readonly reached: number };

/**
 * Reads the sales of a range of blocks, starting with the last one, as far as one answer allows.
 */
export type ReadBlocks = (
  contract: Contract,
  blocks: Blocks,
  late: AbortSignal,
  signal: AbortSignal,
) => Promise<Outcome<BlocksRead>>;

export function createReadBlocks(callNode: CallNode): ReadBlocks {
  // The range is never increased again. A failed attempt at a larger range could lose an answer,
  // and after some hours a new process begins with the full range anyway.
  let width = MOST_BLOCKS;

  /** Halves the range of the next query; returns false at the minimum. */
  const narrow = (asked: Blocks, fewest: number): boolean => {
    const blocks = asked.last - asked.first + 1;
    const fewer = Math.max(fewest, Math.floor(blocks / 2));
    if (fewer >= blocks) return false;
    width = Math.min(width, fewer);
    return true;
  };

  const findTransactions = async (contract: Contract, asked: Blocks, signal: AbortSignal) => {
    try {
      return await transactionsIn(callNode, contract, asked, signal);
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError') {
        narrow(asked, FEWEST_BLOCKS);
      }
      throw error;
    }
  };

  return async (contract, { first, last }, late, signal) => {
    const sales: Sale[] = [];
    let reached = last + 1;
    let left = MOST_TRANSACTIONS;
    for (let question = 0; question < MOST_QUESTIONS && reached > first; question += 1) {
      if (late.aborted) break;
      const asked = { first: Math.max(first, reached - width), last: reached - 1 };
      const found = await findTransactions(contract, asked, signal);
      if (failedFor(found, 'too_large') && narrow(asked, 1)) continue;
      if (failedFor(found, 'timeout') && narrow(asked, FEWEST_BLOCKS)) continue;
      if (found.kind !== 'ok') return found;
      const unread = [...found.value];
      while (unread.length > 0 && left > 0 && !late.aborted) {
        const some = unread.splice(0, TRANSACTIONS_AT_ONCE);
        const read = await salesOf(callNode, contract, some, signal);
        if (read.kind !== 'ok') return read;
        sales.push(...read.value);
        left -= some.length;
      }
      const [next] = unread;
      // The block may have other unread transactions.
      reached = next === undefined ? asked.first : next.block + 1;
      if (next !== undefined) break;
    }
    // An answer must contain the time from which its sales are complete. Without a complete block,
    // that time is unknown.
    if (reached > last) return { kind: 'failed', reason: 'timeout' };
    return { kind: 'ok', value: { sales, reached } };
  };
}

function failedFor(outcome: Outcome<unknown>, reason: 'too_large' | 'timeout'): boolean {
  return outcome.kind === 'failed' && outcome.reason === reason;
}

type Transaction = {
  readonly hash: string;
  readonly block: number;
  readonly blockHash: string;
  readonly time: Instant | undefined;
};

/** The transactions that transferred a token of the collection, newest first. */
async function transactionsIn(
  callNode: CallNode,
  { address }: Contract,
  { first, last }: Blocks,
  signal: AbortSignal,
): Promise<Outcome<readonly Transaction[]>> {
  const range = { fromBlock: numberOf(first), toBlock: numberOf(last) };
  const filter = { address, ...range, topics: [TRANSFER_TOPICS] };
  const found = await callNode('eth_getLogs', [[filter]], Logs, signal);
  if (found.kind !== 'ok') return found;
  const transactions = new Map<string, Transaction>();
  for (const log of found.value.flat()) {
    const { blockNumber: block, blockHash, blockTimestamp: time, transactionHash: hash } = log;
    const transfers = transfersIn(log);
    const isAskedFor = log.address === address && block >= first && block <= last;
    if (transfers === undefined || !isAskedFor) return GARBAGE;
    if (transfers.length > 0) transactions.set(hash, { hash, block, blockHash, time });
  }
  return {
    kind: 'ok',
    value: [...transactions.values()].toSorted((one, other) => other.block - one.block),
  };
}

async function salesOf(
  callNode: CallNode,
  contract: Contract,
  transactions: readonly Transaction[],
  signal: AbortSignal,
): Promise<Outcome<readonly Sale[]>> {
  const hashes = transactions.map(({ hash }) => [hash]);
  const receipts = await callNode('eth_getTransactionReceipt', hashes, Receipt, signal);
  if (receipts.kind !== 'ok') return receipts;
  const found: (TokenSale & { readonly transaction: Transaction; readonly mark: string })[] = [];
  for (const [index, transaction] of transactions.entries()) {
    const receipt = receipts.value[index];
    // The receipt may be missing because the block is only seconds old, or because the call reached
    // another machine of the node's operator.
    if (receipt === undefined || receipt === null) return { kind: 'not_ready' };
    const sales = salesIn(receipt.logs, contract);
    if (sales === undefined) return GARBAGE;
    found.push(...sales.map((sale, index) => ({ ...sale, transaction, mark: `${index}` })));
  }
  const times = await timesOf(
    callNode,
    found.map(({ transaction }) => transaction),
    signal,
  );
  if (times.kind !== 'ok') return times;
  const sales = found.flatMap((sale) => {
    const time = times.value.get(sale.transaction.block);
    const { transaction, mark } = sale;
    return time === undefined ? [] : [{ ...saleOf(sale, transaction, time, contract), mark }];
  });
  return sales.length === found.length ? { kind: 'ok', value: sales } : GARBAGE;
}

/** The times of blocks. They are requested from the node if its logs do not contain them. */
async function timesOf(
  callNode: CallNode,
  transactions: readonly Transaction[],
  signal: AbortSignal,
): Promise<Outcome<ReadonlyMap<number, Instant>>> {
  const times = new Map<number, Instant>();
  for (const { block, time } of transactions) if (time !== undefined) times.set(block, time);
  const untimed = new Set(transactions.map(({ block }) => block).filter((one) => !times.has(one)));
  if (untimed.size === 0) return { kind: 'ok', value: times };
  const asked = [...untimed].map((block) => [numberOf(block), false]);
  const blocks = await callNode('eth_getBlockByNumber', asked, Block, signal);
  if (blocks.kind !== 'ok') return blocks;
  for (const { number, timestamp } of blocks.value) times.set(number, timestamp);
  return { kind: 'ok', value: times };
}

function saleOf(
  { tokenId, price, from, to, marketplace }: TokenSale,
  { hash, block, blockHash }: Transaction,
  time: Instant,
  contract: Contract,
): Omit<Sale, 'mark'> {
  const record = TradeRecord.parse({
    token_address: contract.address,
    transaction_hash: hash,
    token_ids: [`${tokenId}`],
    seller_address: from,
    buyer_address: to,
    marketplace_address: marketplace,
    price: `${price}`,
    block_timestamp: formatInstant(time),
    block_number: `${block}`,
    block_hash: blockHash,
  });
  return { time, price, tokenIds: record.token_ids, transactionHash: hash, record };
}
