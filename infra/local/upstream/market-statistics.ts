import { isPaidInEth } from '#shared/domain/archive/import-line.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Decimal } from '#shared/domain/market/decimal.ts';
import { DAY, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { STATISTICS_DAYS } from '#shared/domain/market/price-series.ts';
import { type Floor, type MarketSource, priceOf, type Trade } from './market-source.ts';

/**
 * The volume and the number of sales of a contract in each period, and its number of owners, at a
 * point in time.
 */
export function statisticsAt(source: MarketSource, contract: ContractKey, now: Instant) {
  const month = [...source.trades(contract, now - 30 * DAY, now)];
  return {
    periods: STATISTICS_DAYS.map((days) => ({
      days,
      ...traded(month.filter(({ time }) => time >= now - days * DAY)),
    })),
    total: traded(month),
    // The market has no owners, so the buyers of the last month are counted.
    owners: new Set(month.map(({ record }) => record.buyer_address)).size,
  };
}

/** The best offer, in percent of a floor. The percentage changes with each floor. */
export function bestOfferPercent({ time }: Floor): number {
  return 93 + (Math.floor(time / SECOND) % 5);
}

/** The volume and the number of the trades that were paid in ETH. */
function traded(trades: readonly Trade[]): { readonly volume: Decimal; readonly sales: number } {
  const paid = trades.filter(({ record }) => isPaidInEth(record));
  return { volume: paid.reduce((sum, trade) => sum + priceOf(trade), 0n), sales: paid.length };
}
