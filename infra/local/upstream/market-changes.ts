import { isPaidInEth } from '#shared/domain/archive/import-line.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, type Instant } from '#shared/domain/market/instant.ts';
import { lowestTrade, type MarketSource, priceOf } from './market-source.ts';

/** A question whose answer changes over time: the floor, or the lowest trade of some days. */
export type MarketQuestion = { readonly contract: ContractKey; readonly days?: number };

/**
 * The earliest time after an instant at which the answer to a question changes.
 *
 * A floor changes at its next point. A lowest sale changes when a sale undercuts it, or when it
 * leaves its window.
 */
export function nextChange(
  source: MarketSource,
  { contract, days }: MarketQuestion,
  after: Instant,
): Instant | undefined {
  if (days === undefined) return source.nextFloor(contract, after);
  const current = lowestTrade(source, contract, after - days * DAY, after);
  if (current === undefined) return source.nextTrade(contract, after);
  const leaves = current.time + days * DAY + 1;
  for (const trade of source.trades(contract, after + 1, leaves)) {
    if (isPaidInEth(trade.record) && priceOf(trade) < priceOf(current)) return trade.time;
  }
  return leaves;
}
