import {
  type FloorLine,
  isPaidInEth,
  type TokenLine,
  type TradeLine,
} from '#shared/domain/archive/import-line.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';

/**
 * Where the local upstream takes its answers from.
 *
 * It knows the future too: a caller says until when it may see. Both ends of a span count.
 */
export type MarketSource = {
  readonly contracts: () => readonly MarketContract[];
  /** Newest first, made while they are read; of traits, where the market knows such floors. */
  readonly floors: (contract: ContractKey, from: Instant, to: Instant) => Iterable<Floor>;
  /** Oldest first, made while they are read. */
  readonly trades: (contract: ContractKey, from: Instant, to: Instant) => Iterable<Trade>;
  readonly tokens: (contract: ContractKey) => readonly TokenLine[];
  /** When the first floor, or trade, after an instant comes; undefined where there is none. */
  readonly nextFloor: (contract: ContractKey, after: Instant) => Instant | undefined;
  readonly nextTrade: (contract: ContractKey, after: Instant) => Instant | undefined;
};

export type MarketContract = { readonly contract: ContractKey; readonly name: string };

export type Floor = { readonly time: Instant; readonly record: FloorLine };
export type Trade = { readonly time: Instant; readonly record: TradeLine };

/** The executed trade with the lowest price among those paid in ETH; the earliest wins a tie. */
export function lowestTrade(
  source: MarketSource,
  contract: ContractKey,
  from: Instant,
  to: Instant,
  isAsked: (record: TradeLine) => boolean = () => true,
): Trade | undefined {
  let lowest: Trade | undefined;
  for (const trade of source.trades(contract, from, to)) {
    if (!isPaidInEth(trade.record) || !isAsked(trade.record)) continue;
    if (lowest === undefined || priceOf(trade) < priceOf(lowest)) lowest = trade;
  }
  return lowest;
}

export const priceOf = ({ record }: Trade): bigint => BigInt(record.price);
