import { type Decimal, GREATEST, LEAST } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { LatestSeries } from '#shared/domain/market/price-series.ts';
import type { Quantity } from '#shared/domain/metrics/measure.ts';
import { isClock, readsSales, seriesOfMetric, windowOf } from '#shared/domain/metrics/metric.ts';
import type { Measure } from '#shared/domain/metrics/prices.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import type { IndexRange, ThresholdIndexName } from '#shared/domain/rules/threshold-index.ts';
import type { FloorSeries, ReadStep } from '#shared/domain/timeline/timeline.ts';
import { measureAt, type Past } from './known-at-step.ts';
import { countedFrom, minutesSince } from './snapshot.ts';

/** The input of an evaluation: a contract's record, its steps and its recorded past. */
export type Evaluated = {
  readonly record: ContractRecord;
  readonly steps: readonly ReadStep[];
  readonly past: Past;
};

/**
 * The index ranges that an evaluation reads: on each threshold index, the watches that the lowest
 * or the highest value of the steps reaches.
 */
export function indexRangesOf(evaluated: Evaluated, now: Instant): readonly IndexRange[] {
  const { contract, thresholdIndexes } = evaluated.record;
  return thresholdIndexes.flatMap((name): IndexRange[] => {
    const values = valuesOn(name, evaluated, now);
    if (values.length === 0) return [];
    return [
      { contract, ...name, thresholdIndex: 'falling', value: least(values) },
      { contract, ...name, thresholdIndex: 'rising', value: greatest(values) },
    ];
  });
}

function valuesOn(
  name: ThresholdIndexName,
  { record, steps, past }: Evaluated,
  now: Instant,
): readonly Decimal[] {
  const { metric } = name;
  // The index `all` has rules with several conditions, which wait for any step.
  if (metric === 'all') return steps.length === 0 ? [] : [0n];
  if (isClock(metric)) {
    const [series] = seriesOfMetric(metric);
    const from = countedFrom(metric, series, record, now);
    return from === undefined ? [] : [minutesSince(from, now)];
  }
  return steps.flatMap((step) =>
    measuresOn({ ...name, metric }, step, past).flatMap((measured) => {
      if (measured.kind === 'value') return [measured.value];
      // "No sale left" is above every number.
      return measured.why === 'no_sale' ? [GREATEST] : [];
    }),
  );
}

type PriceIndexName = ThresholdIndexName & {
  readonly metric: Exclude<ThresholdIndexName['metric'], 'all'>;
};

/**
 * The values of a metric at a step: one for each series of floors that rules on this index may use.
 */
function measuresOn(name: PriceIndexName, step: ReadStep, past: Past): readonly Measure[] {
  return floorSeriesOn(name).map((floors) => measureAt(name, step, past, floors));
}

/**
 * The quantities that rules on an index may measure. A rule whose threshold is a price decides
 * once, when a sale is reported, whether to ignore the sale. Other rules ignore sales below a
 * hundredth of the floor, so a higher floor may make them ignore an earlier sale.
 */
function quantitiesOn(name: PriceIndexName): readonly Quantity[] {
  return readsSales(name.metric) ? [name, { ...name, ignoreBelow: 'hundredth' }] : [name];
}

function floorSeriesOn({ metric, minSources }: PriceIndexName): readonly FloorSeries[] {
  if (minSources !== undefined) return ['agreed'];
  // Some rules use outliers immediately, others only confirmed ones.
  return seriesOfMetric(metric).includes('floor') ? ['floor', 'reported'] : ['floor'];
}

/**
 * Whether a value may have become unknown. This affects every watch with a timer.
 *
 * - One rule may ignore a sale that another rule uses. A higher floor can have this effect, too.
 * - Even without a new point, a window may now start at an unknown price, or a gap may have been
 *   found in it.
 */
export function losesValue({ record, steps, past }: Evaluated): boolean {
  // The poll of these steps may have found a gap that earlier evaluations did not have.
  const pastBefore = past.since === undefined ? past : { ...past, since: undefined };
  return record.thresholdIndexes.some(({ metric, ...name }) => {
    if (metric === 'all' || isClock(metric)) return false;
    return steps.some((step) => losesValueAt({ ...name, metric }, step, past, pastBefore));
  });
}

function losesValueAt(name: PriceIndexName, step: ReadStep, past: Past, pastBefore: Past): boolean {
  const { metric } = name;
  const isNew = (series: LatestSeries) => step.points[series] !== undefined;
  const sales = seriesOfMetric(metric).filter((series) => series !== 'floor');
  if (readsSales(metric) && sales.some(isNew)) return true;
  const before = { ...step, reading: step.before, points: {}, at: step.beforeAt };
  return floorSeriesOn(name).some((floors) => {
    const whenReported = { ...before, at: step.before[floors]?.time ?? step.beforeAt };
    return quantitiesOn(name).some((quantity) => {
      const hasValue = (at: ReadStep, known: Past) =>
        measureAt(quantity, at, known, floors).kind === 'value';
      return !hasValue(step, past) && [before, whenReported].some((at) => hasValue(at, pastBefore));
    });
  });
}

/** The lengths of the windows of waiting watches, each once, in milliseconds. */
export function windowsOf(thresholdIndexes: readonly ThresholdIndexName[]): readonly number[] {
  const windows = thresholdIndexes.flatMap(({ metric }) =>
    metric === 'all' ? [] : (windowOf(metric) ?? []),
  );
  return [...new Set(windows)];
}

function least(values: readonly Decimal[]): Decimal {
  return values.reduce((low, value) => (value < low ? value : low), GREATEST);
}

function greatest(values: readonly Decimal[]): Decimal {
  return values.reduce((high, value) => (value > high ? value : high), LEAST);
}
