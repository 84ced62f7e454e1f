import { DEFAULT_CHAIN } from '#shared/domain/market/chains.ts';
import type { Contract } from '#shared/domain/market/contract.ts';
import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { GARBAGE, isSane } from '#shared/providers/prices.ts';
import { ANSWER_DEADLINE, within } from '#shared/providers/within.ts';
import type { SalesRead, Upstream } from '#shared/use-cases/upstream.ts';
import { Block, ChainId } from './answers.ts';
import { blockAfter, blockBefore, numberOf } from './blocks.ts';
import { createCallNode } from './json-rpc.ts';
import { createReadBlocks } from './read-blocks.ts';

/**
 * Milliseconds after which no further calls are started. The answer contains the blocks that were read
 * by that time.
 */
const READ_FOR = 4 * SECOND;
/** A node whose last block is older than this lags behind, so it lacks recent sales. */
const BEHIND_AFTER = 5 * MINUTE;

/** CryptoPunks have their own market and cannot be sold on Seaport. */
const CRYPTO_PUNKS = '0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';

/**
 * Any Ethereum node: sales on Seaport, read from the logs of blocks. Listings are not on the chain,
 * so there are no floors.
 */
export function createEthereumNode(
  settings: ProviderSettings,
  readForMs = READ_FOR,
): Required<Pick<Upstream, 'salesBetween'>> {
  const callNode = createCallNode(settings);
  const readBlocks = createReadBlocks(callNode);
  let chainId: string | undefined;

  const blockAt = async (block: string, signal: AbortSignal): Promise<Outcome<Block>> => {
    const found = await callNode('eth_getBlockByNumber', [[block, false]], Block, signal);
    if (found.kind !== 'ok') return found;
    const [only] = found.value;
    return only !== undefined && isSane(only.timestamp, settings.now())
      ? { kind: 'ok', value: only }
      : GARBAGE;
  };

  /** The last block, if the node is on Ethereum and up to date. */
  const lastBlock = async (signal: AbortSignal): Promise<Outcome<Block>> => {
    if (chainId === undefined) {
      const asked = await callNode('eth_chainId', [[]], ChainId, signal);
      if (asked.kind !== 'ok') return asked;
      chainId = asked.value[0];
    }
    if (chainId !== DEFAULT_CHAIN.hex) return { kind: 'unsupported', reason: 'chain' };
    const last = await blockAt('latest', signal);
    const isBehind = last.kind === 'ok' && last.value.timestamp < settings.now() - BEHIND_AFTER;
    return isBehind ? { kind: 'not_ready' } : last;
  };

  const read = async (
    contract: Contract,
    { from, to }: { readonly from: Instant; readonly to?: Instant | undefined },
    signal: AbortSignal,
  ): Promise<Outcome<SalesRead>> => {
    const late = AbortSignal.timeout(readForMs);
    const head = await lastBlock(signal);
    if (head.kind !== 'ok') return head;
    let last = head.value.number;
    if (to !== undefined && to < head.value.timestamp) {
      const near = await blockAt(numberOf(blockBefore(head.value, to)), signal);
      if (near.kind !== 'ok') return near;
      last = Math.min(last, blockAfter(near.value, to));
    }
    const first = Math.min(last, blockBefore(head.value, from));
    const blocks = await readBlocks(contract, { first, last }, late, signal);
    if (blocks.kind !== 'ok') return blocks;
    const { reached } = blocks.value;
    const end = to ?? head.value.timestamp;
    const sales = blocks.value.sales.filter(({ time }) => time >= from && time <= end);
    if (reached <= first) return { kind: 'ok', value: { sales, since: from } };
    const oldest = await blockAt(numberOf(reached), signal);
    if (oldest.kind !== 'ok') return oldest;
    const since = Math.min(oldest.value.timestamp, to ?? oldest.value.timestamp);
    return { kind: 'ok', value: { sales, since } };
  };

  return {
    salesBetween: async (contract, span, signal) => {
      if (contract.chain !== DEFAULT_CHAIN) return { kind: 'unsupported', reason: 'chain' };
      if (contract.address === CRYPTO_PUNKS) return { kind: 'not_found' };
      return await within(ANSWER_DEADLINE, signal, (inTime) => read(contract, span, inTime));
    },
  };
}
