import {
  type FloorLine,
  isPaidInEth,
  type TokenLine,
  type TradeLine,
} from '#shared/domain/archive/import-line.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';

/**
 * The data of the local upstream.
 *
 * They include the future, so callers must limit the visible time. Both ends of a range are
 * inclusive.
 */
export type MarketSource = {
  readonly contracts: () => readonly MarketContract[];
  /** Floors, newest first, computed lazily; floors of traits only if the market has them. */
  readonly floors: (contract: ContractKey, from: Instant, to: Instant) => Iterable<Floor>;
  /** Trades, oldest first, computed lazily. */
  readonly trades: (contract: ContractKey, from: Instant, to: Instant) => Iterable<Trade>;
  readonly tokens: (contract: ContractKey) => readonly TokenLine[];
  /** The time of the first floor (or trade) after an instant; undefined if there is none. */
  readonly nextFloor: (contract: ContractKey, after: Instant) => Instant | undefined;
  readonly nextTrade: (contract: ContractKey, after: Instant) => Instant | undefined;
};

export type MarketContract = { readonly contract: ContractKey; readonly name: string };

export type Floor = { readonly time: Instant; readonly record: FloorLine };
export type Trade = { readonly time: Instant; readonly record: TradeLine };

/** The executed ETH trade with the lowest price, or the earliest of several such trades. */
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
