import { type Decimal, ONE } from '#shared/domain/market/decimal.ts';
import { earliest, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import {
  PRICE_SERIES_NAMES,
  type PriceSeriesName,
  priceSeries,
} from '#shared/domain/market/price-series.ts';
import { type ClockMetric, clockOf } from '#shared/domain/metrics/metric.ts';
import { type ContractRecord, newestOf } from '#shared/domain/polling/contract-record.ts';
import {
  newestReading,
  newTimeline,
  type ReadStep,
  timesIn,
} from '#shared/domain/timeline/timeline.ts';
import type { Past } from './known-at-step.ts';
import { lookBackOf, seriesOfWatch, type Watch } from './watch.ts';

/**
 * The present state of a contract: its record, if it has one, and the recorded past that its
 * watches need.
 */
export type Snapshot = { readonly record: ContractRecord | undefined; readonly past: Past };

/** The present as a step: an answer to all price series that brings nothing new. */
export function stepNow(record: ContractRecord | undefined, now: Instant): ReadStep {
  const timeline = record?.timeline ?? newTimeline(0);
  const reading = newestReading(timeline);
  const answeredAt = Object.fromEntries(PRICE_SERIES_NAMES.map((series) => [series, now]));
  const about = { at: now, asked: now, answeredAt, beforeAt: timeline.at };
  return { ...about, seq: timeline.seq + 1, points: {}, before: reading, reading };
}

/**
 * The time from which an evaluation of the present and of the waiting steps needs the recorded
 * prices of a price series: the earliest start of a window or episode. Undefined if no recorded
 * prices are needed.
 */
export function neededSince(
  { timeline }: ContractRecord,
  series: PriceSeriesName,
  watches: readonly Watch[],
): Instant | undefined {
  const mine = watches.filter((watch) => seriesOfWatch(watch).includes(series));
  const lookBack = priceSeries(series).isComparedOverSpans
    ? Math.max(0, ...mine.map(lookBackOf))
    : 0;
  const oldest = earliest([timeline.at, ...timesIn(timeline.steps)]);
  const window = lookBack === 0 || oldest === undefined ? undefined : oldest - 1 - lookBack;
  return earliest([window, ...mine.map(({ firedAt }) => firedAt)]);
}

/** Minutes since a moment; zero for a future moment. */
export function minutesSince(moment: Instant, now: Instant): Decimal {
  return (BigInt(Math.max(0, now - moment)) * ONE) / BigInt(MINUTE);
}

/**
 * The moment from which a clock metric counts: the time of the newest floor, or the time at which
 * the price series began to fail. Returns `now` if the last request for the series was answered,
 * and undefined if nothing was ever reported.
 */
export function countedFrom(
  metric: ClockMetric,
  series: PriceSeriesName,
  record: ContractRecord | undefined,
  now: Instant,
): Instant | undefined {
  if (record === undefined) return undefined;
  if (clockOf(metric)?.since === 'newest') return newestOf(record, series)?.time;
  const known = record.series[series];
  if (known?.noDataSince !== undefined) return known.noDataSince;
  return known?.answeredAt === undefined ? undefined : now;
}
