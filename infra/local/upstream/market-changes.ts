import { isPaidInEth } from '#shared/domain/archive/import-line.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, earliest, type Instant } from '#shared/domain/market/instant.ts';
import { STATISTICS_DAYS } from '#shared/domain/market/price-series.ts';
import { lowestTrade, type MarketSource, priceOf } from './market-source.ts';

/**
 * A request whose response changes over time: the floor, the lowest trade of a window, or the
 * statistics of all trades.
 */
export type MarketQuestion = { readonly contract: ContractKey } & (
  | { readonly of: 'floor' }
  | { readonly of: 'statistics' }
  | { readonly of: 'lowest'; readonly days: number }
);

/**
 * The first time after an instant at which the response to a request changes.
 *
 * A floor changes at its next point. A lowest sale changes when a sale undercuts it, or when the
 * lowest sale leaves its window. Statistics change when a trade enters or leaves one of their
 * windows.
 */
export function nextChange(
  source: MarketSource,
  question: MarketQuestion,
  after: Instant,
): Instant | undefined {
  const { contract } = question;
  if (question.of === 'floor') return source.nextFloor(contract, after);
  if (question.of === 'statistics') {
    const leaving = STATISTICS_DAYS.map((days) => {
      const trade = source.nextTrade(contract, after - days * DAY);
      return trade && trade + days * DAY + 1;
    });
    return earliest([source.nextTrade(contract, after), ...leaving]);
  }
  const { days } = question;
  const current = lowestTrade(source, contract, after - days * DAY, after);
  if (current === undefined) return source.nextTrade(contract, after);
  const leaves = current.time + days * DAY + 1;
  for (const trade of source.trades(contract, after + 1, leaves)) {
    if (isPaidInEth(trade.record) && priceOf(trade) < priceOf(current)) return trade.time;
  }
  return leaves;
}
