import type { Decimal } from '#shared/domain/market/decimal.ts';
import { GREATEST, LEAST } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { PARTS } from '#shared/domain/market/point.ts';
import { measure, newestTime } from '#shared/domain/metrics/measure.ts';
import {
  isClock,
  type Metric,
  partsOfMetric,
  windowExpiriesBetween,
  windowOf,
} from '#shared/domain/metrics/metric.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import type { IndexRange, ThresholdIndexName } from '#shared/domain/rules/threshold-index.ts';
import {
  answeredAtOf,
  countedFrom,
  evaluatedBefore,
  heldAt,
  knownAsOf,
  knownOf,
  minutesSince,
  type Snapshot,
  steadied,
  unevaluatedOf,
  unobservedTimes,
} from './snapshot.ts';

/**
 * What an evaluation reaches on each threshold index in which watches of a contract wait: the
 * lowest and the highest value of the newest and all unevaluated observations, and of the window
 * expiries that are not evaluated yet.
 */
export function indexRangesOf(
  { contract, thresholdIndexes }: ContractRecord,
  snapshot: Snapshot,
  now: Instant,
): readonly IndexRange[] {
  return thresholdIndexes.flatMap((name): IndexRange[] => {
    const values = valuesOn(name, snapshot, thresholdIndexes, now);
    if (values.length === 0) return [];
    return [
      { contract, ...name, thresholdIndex: 'falling', value: least(values) },
      { contract, ...name, thresholdIndex: 'rising', value: greatest(values) },
    ];
  });
}

function valuesOn(
  { metric, ...quantity }: ThresholdIndexName,
  snapshot: Snapshot,
  thresholdIndexes: readonly ThresholdIndexName[],
  now: Instant,
): readonly Decimal[] {
  // Rules with several conditions wait there for any observation.
  if (metric === 'all') return [0n];
  if (isClock(metric)) {
    const [part = 'floor'] = partsOfMetric(metric);
    const from = countedFrom(metric, snapshot.parts[part], now);
    return from === undefined ? [] : [minutesSince(from, now)];
  }
  // Some take outliers at once, others wait until one is confirmed.
  const moments = [snapshot, steadied(snapshot)].flatMap((seen) =>
    momentsOf(metric, seen, thresholdIndexes),
  );
  return moments.flatMap(({ known, time }) => {
    const measured = measure({ metric, ...quantity }, known, time);
    if (measured.kind === 'value') return [measured.value];
    // "No trade" stands above every number.
    return measured.why === 'no_sale' ? [GREATEST] : [];
  });
}

/** The windows of the waiting watches, in milliseconds, each once. */
export function windowsOf(thresholdIndexes: readonly ThresholdIndexName[]): readonly number[] {
  const windows = thresholdIndexes.flatMap(({ metric }) =>
    metric === 'all' ? [] : (windowOf(metric) ?? []),
  );
  return [...new Set(windows)];
}

/** The moments of an evaluation at which a metric may have another value: what was known, and when. */
function momentsOf(
  metric: Metric,
  snapshot: Snapshot,
  thresholdIndexes: readonly ThresholdIndexName[],
) {
  const parts = partsOfMetric(metric);
  const window = windowOf(metric);
  const limit = answeredAtOf(snapshot, parts) ?? 0;
  const evaluatedTo = Math.max(snapshot.windowsExpiredUntil ?? 0, evaluatedTime(snapshot));
  const evaluatedSeq = evaluatedBefore(snapshot);
  const news = unevaluatedOf(snapshot, parts).flatMap((observation) => {
    const known = knownAsOf(snapshot, parts, observation, evaluatedSeq);
    const time = newestTime(known);
    const floors = known.get('floor') ?? [];
    // A watch that was evaluated further than what came late evaluates it by its own time.
    const later =
      window === undefined ? [] : windowExpiriesBetween(window, floors, time, evaluatedTo);
    return [time, ...later].map((moment) => ({ known, time: moment }));
  });
  const ownWindows = window === undefined ? [] : [window];
  const windowExpiries = windowExpiriesOf(
    parts.length > 1 ? windowsOf(thresholdIndexes) : ownWindows,
    snapshot,
  );
  // A watch's timers may meet what is only recorded: an evaluation later than this would not know
  // that.
  const times = [...windowExpiries, ...unobservedTimes(snapshot, parts)];
  const held = times.map((time) => ({ known: heldAt(snapshot, parts, time), time }));
  const known = knownOf(snapshot, parts);
  return [...news, ...held, { known, time: Math.max(newestTime(known), limit) }];
}

/**
 * The window expiries that an evaluation may have to evaluate: those after the finished evaluations,
 * or after late observations.
 */
function windowExpiriesOf(windows: readonly number[], snapshot: Snapshot): readonly Instant[] {
  const limit = snapshot.parts.floor?.answeredAt;
  if (limit === undefined || windows.length === 0) return [];
  const floors = knownOf(snapshot, ['floor']).get('floor') ?? [];
  const news = unevaluatedOf(snapshot, PARTS).map(({ point }) => point.time);
  const after = Math.min(snapshot.windowsExpiredUntil ?? limit, ...news);
  // Rules whose conditions must hold together are evaluated at the times of other parts, too.
  const until = Math.max(limit, newestTime(knownOf(snapshot, PARTS)));
  return windows.flatMap((window) => windowExpiriesBetween(window, floors, after, until));
}

/** The newest time that finished evaluations have evaluated. */
function evaluatedTime(snapshot: Snapshot): Instant {
  return Math.max(
    0,
    ...PARTS.map((part) => {
      const known = snapshot.parts[part];
      const [first] = known?.unevaluated ?? [];
      return (first === undefined ? known?.newest?.point.time : first.previous?.time) ?? 0;
    }),
  );
}

function least(values: readonly Decimal[]): Decimal {
  return values.reduce((low, value) => (value < low ? value : low), GREATEST);
}

function greatest(values: readonly Decimal[]): Decimal {
  return values.reduce((high, value) => (value > high ? value : high), LEAST);
}
