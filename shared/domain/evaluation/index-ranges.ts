import { type Decimal, GREATEST, LEAST } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { LatestPart } from '#shared/domain/market/price-series.ts';
import type { Quantity } from '#shared/domain/metrics/measure.ts';
import { isClock, partsOfMetric, readsSales, windowOf } from '#shared/domain/metrics/metric.ts';
import type { Measure } from '#shared/domain/metrics/prices.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import type { IndexRange, ThresholdIndexName } from '#shared/domain/rules/threshold-index.ts';
import type { FloorSeries, ReadStep } from '#shared/domain/timeline/timeline.ts';
import { measureAt, type Past } from './known-at-step.ts';
import { countedFrom, minutesSince } from './snapshot.ts';

/** What an evaluation sees of a contract. */
export type Evaluated = {
  readonly record: ContractRecord;
  readonly steps: readonly ReadStep[];
  readonly past: Past;
};

/**
 * The watches that an evaluation reaches: on each threshold index those between the lowest and the
 * highest value of the steps.
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
  // Rules with several conditions wait there for any step.
  if (metric === 'all') return steps.length === 0 ? [] : [0n];
  if (isClock(metric)) {
    const [part] = partsOfMetric(metric);
    const from = countedFrom(metric, part, record, now);
    return from === undefined ? [] : [minutesSince(from, now)];
  }
  return steps.flatMap((step) =>
    measuresOn({ ...name, metric }, step, past).flatMap((measured) => {
      if (measured.kind === 'value') return [measured.value];
      // "No sale left" stands above every number.
      return measured.why === 'no_sale' ? [GREATEST] : [];
    }),
  );
}

type PriceIndexName = ThresholdIndexName & {
  readonly metric: Exclude<ThresholdIndexName['metric'], 'all'>;
};

/** A metric at a step: by each of the series that rules on its index may go by. */
function measuresOn(name: PriceIndexName, step: ReadStep, past: Past): readonly Measure[] {
  return floorSeriesOn(name).map((floors) => measureAt(name, step, past, floors));
}

/**
 * What rules on an index may measure. A rule with a price of its own ignores a sale when it comes; the
 * others also when the floor rises.
 */
function quantitiesOn(name: PriceIndexName): readonly Quantity[] {
  return readsSales(name.metric) ? [name, { ...name, ignoreBelow: 'hundredth' }] : [name];
}

function floorSeriesOn({ metric, minSources }: PriceIndexName): readonly FloorSeries[] {
  if (minSources !== undefined) return ['agreed'];
  // Some rules take outliers at once, others wait until one is confirmed.
  return partsOfMetric(metric).includes('floor') ? ['floor', 'reported'] : ['floor'];
}

/**
 * Whether a value may have become unknown. That ends waits, whatever numbers they wait for. A sale may
 * be dust for one rule and a price for another, and a higher floor may make it dust. A window may have
 * moved to a start without a known price, or a gap may have been found there, without a new point.
 */
export function losesValue({ record, steps, past }: Evaluated): boolean {
  // The poll of these steps finds a gap. Rules did not know of it before.
  const pastBefore = past.since === undefined ? past : { ...past, since: undefined };
  return record.thresholdIndexes.some(({ metric, ...name }) => {
    if (metric === 'all' || isClock(metric)) return false;
    return steps.some((step) => losesValueAt({ ...name, metric }, step, past, pastBefore));
  });
}

function losesValueAt(name: PriceIndexName, step: ReadStep, past: Past, pastBefore: Past): boolean {
  const { metric } = name;
  const isNew = (part: LatestPart) => step.points[part] !== undefined;
  const sales = partsOfMetric(metric).filter((part) => part !== 'floor');
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

/** The windows of the waiting watches, in milliseconds, each once. */
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
