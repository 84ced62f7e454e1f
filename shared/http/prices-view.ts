import { thinOut } from '#shared/domain/charts/thin-out.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { formatInstant, type Instant, momentOf } from '#shared/domain/market/instant.ts';
import { withoutGlitches } from '#shared/domain/market/outlier.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { type PriceSeriesName, priceSeries } from '#shared/domain/market/price-series.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { seriesHealth } from '#shared/domain/polling/series-health.ts';
import type { PriceSpan, Prices, RecordedPoint } from './answer-shapes.ts';
import { decimalOf } from './price-view.ts';

/** The recorded prices of one series of a contract, and the record of the contract. */
export type RecordedPrices = {
  readonly contract: ContractKey;
  readonly series: PriceSeriesName;
  /** Oldest first. The first price may be older than the span. */
  readonly recorded: readonly PricePoint[];
  readonly record: ContractRecord | undefined;
  /** The end of the span. */
  readonly to: Instant;
};

/** The answer with at most `most` prices, which include all extremes. */
export function pricesView(prices: RecordedPrices, most: number): Prices {
  const { contract, series, recorded } = prices;
  const points = thinOut(recorded, most);
  const believed = new Set(confirmedTimes(series, recorded));
  return {
    contract,
    series,
    points: points.map((point) => pointView(point, !believed.has(point.time))),
    thinned: points.length < recorded.length,
    gaps: [...missingBefore(prices), ...silence(prices)],
    disputes: disputes(prices),
  };
}

function confirmedTimes(
  series: PriceSeriesName,
  recorded: readonly PricePoint[],
): readonly Instant[] {
  return (priceSeries(series).hasGlitches ? withoutGlitches(recorded) : recorded).map(
    ({ time }) => time,
  );
}

function pointView(point: PricePoint, isOutlier: boolean): RecordedPoint {
  const { time, price, currency, usd, source, tradedAt } = point;
  return {
    time: formatInstant(time),
    price: formatDecimal(price),
    currency,
    usd: decimalOf(usd),
    source: source ?? null,
    tradedAt: momentOf(tradedAt),
    outlier: isOutlier,
  };
}

/** The gap before the time from which the recorded floors are complete. */
function missingBefore({ series, recorded, record }: RecordedPrices): readonly PriceSpan[] {
  const since = priceSeries(series).hasPast ? record?.past?.since : undefined;
  const next = since === undefined ? -1 : recorded.findIndex(({ time }) => time >= since);
  const [before, after] = [recorded[next - 1], recorded[next]];
  return before === undefined || after === undefined
    ? []
    : [spanView(before.time, after.time, 'no floors were recorded in this period')];
}

/** The current period without a usable answer. */
function silence(prices: RecordedPrices): readonly PriceSpan[] {
  const { series, record, to } = prices;
  const known = record?.series[series];
  const since = known?.noDataSince;
  if (since === undefined || since > to) return [];
  return [spanView(since, undefined, seriesHealth(series, record).reason)];
}

/** The current period in which the price is disputed. */
function disputes({ series, record, to }: RecordedPrices): readonly PriceSpan[] {
  const known = record?.series[series];
  const since = known?.disputedSince ?? (known?.outcome === 'disputed' ? known.since : undefined);
  if (since === undefined || since > to) return [];
  return [spanView(since, undefined, seriesHealth(series, record).reason)];
}

function spanView(from: Instant, to: Instant | undefined, reason: string | null): PriceSpan {
  return { from: formatInstant(from), to: momentOf(to), reason };
}
