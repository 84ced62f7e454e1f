import { isPaidInEth } from '#shared/domain/archive/import-line.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Decimal } from '#shared/domain/market/decimal.ts';
import { DAY, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { STATISTICS_DAYS } from '#shared/domain/market/price-series.ts';
import { type Floor, type MarketSource, priceOf } from './market-source.ts';

/**
 * The volume and the number of sales of a contract in each period, and its number of owners, at a
 * point in time.
 */
export function statisticsAt(source: MarketSource, contract: ContractKey, now: Instant) {
  const month = [...source.trades(contract, now - 30 * DAY, now)];
  const paid = month
    .filter(({ record }) => isPaidInEth(record))
    .map((trade) => ({ time: trade.time, price: priceOf(trade) }));
  return {
    periods: STATISTICS_DAYS.map((days) => ({
      days,
      ...traded(paid.filter(({ time }) => time >= now - days * DAY)),
    })),
    total: traded(paid),
    // The market has no owners, so the buyers of the last month are counted.
    owners: new Set(month.map(({ record }) => record.buyer_address)).size,
  };
}

/** The best offer, in percent of a floor. The percentage changes with each floor. */
export function bestOfferPercent({ time }: Floor): number {
  return 93 + (Math.floor(time / SECOND) % 5);
}

/** The volume and the number of sales. */
function traded(sales: readonly { readonly price: Decimal }[]) {
  return { volume: sales.reduce((sum, { price }) => sum + price, 0n), sales: sales.length };
}
