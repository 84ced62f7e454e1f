import { type Decimal, formatDecimal } from '#shared/domain/market/decimal.ts';
import { momentOf } from '#shared/domain/market/instant.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import { type ContractRecord, newestOf } from '#shared/domain/polling/contract-record.ts';
import type { reportedPrice } from './answer-shapes.ts';
import type { AnsweredMembers } from './described.ts';

/** The last reported price of a series. */
export function seriesView(
  series: PriceSeriesName,
  record: ContractRecord | undefined,
): AnsweredMembers<typeof reportedPrice> {
  const point = record && newestOf(record, series);
  const price = point?.kind === 'price' ? point : undefined;
  return {
    series,
    price: decimalOf(price?.price),
    currency: price?.currency ?? null,
    usd: decimalOf(price?.usd),
    dataTime: momentOf(point?.time),
    source: price?.source ?? null,
    answeredAt: momentOf(record?.series[series]?.answeredAt),
  };
}

/** A number in answers; null if undefined. */
export function decimalOf(value: Decimal | undefined): string | null {
  return value === undefined ? null : formatDecimal(value);
}
