import { type Decimal, ONE } from '#shared/domain/market/decimal.ts';
import { earliest, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { PARTS, type Part, seriesOf } from '#shared/domain/market/price-series.ts';
import { type ClockMetric, clockOf } from '#shared/domain/metrics/metric.ts';
import { type ContractRecord, newestOf } from '#shared/domain/polling/contract-record.ts';
import {
  newTimeline,
  type ReadStep,
  readingOf,
  timesIn,
} from '#shared/domain/timeline/timeline.ts';
import type { Past } from './known-at-step.ts';
import { lookBackOf, partsOfWatch, type Watch } from './watch.ts';

/**
 * What is known of a contract: its record, if it has one, and as much of the recorded past as its
 * watches need.
 */
export type Snapshot = { readonly record: ContractRecord | undefined; readonly past: Past };

/** The present as a step: an answer to all parts that brings nothing new. */
export function stepNow(record: ContractRecord | undefined, now: Instant): ReadStep {
  const timeline = record?.timeline ?? newTimeline(0);
  const reading = readingOf(timeline);
  const answeredAt = Object.fromEntries(PARTS.map((part) => [part, now]));
  const about = { at: now, asked: now, answeredAt, beforeAt: timeline.at };
  return { ...about, seq: timeline.seq + 1, points: {}, before: reading, reading };
}

/**
 * From when recorded prices of a part are needed, for the present and for the steps that are not
 * evaluated: the beginning of a window or of an episode. Undefined if none are.
 */
export function neededSince(
  { timeline }: ContractRecord,
  part: Part,
  watches: readonly Watch[],
): Instant | undefined {
  const mine = watches.filter((watch) => partsOfWatch(watch).includes(part));
  const lookBack = seriesOf(part).isComparedOverSpans ? Math.max(0, ...mine.map(lookBackOf)) : 0;
  const oldest = earliest([timeline.at, ...timesIn(timeline.steps)]);
  const window = lookBack === 0 || oldest === undefined ? undefined : oldest - 1 - lookBack;
  return earliest([window, ...mine.map(({ firedAt }) => firedAt)]);
}

/** How long ago a moment was, in minutes; of one that is still to come, none. */
export function minutesSince(moment: Instant, now: Instant): Decimal {
  return (BigInt(Math.max(0, now - moment)) * ONE) / BigInt(MINUTE);
}

/**
 * The moment from which a metric of the clock counts: the time of the newest floor, or since when a
 * part has not been answered; `now` while it is. Undefined if nothing was ever reported.
 */
export function countedFrom(
  metric: ClockMetric,
  part: Part,
  record: ContractRecord | undefined,
  now: Instant,
): Instant | undefined {
  if (record === undefined) return undefined;
  if (clockOf(metric)?.since === 'newest') return newestOf(record, part)?.time;
  const known = record.parts[part];
  if (known?.silentSince !== undefined) return known.silentSince;
  return known?.answeredAt === undefined ? undefined : now;
}
