import { isDeepStrictEqual } from 'node:util';
import type { Instant } from '#shared/domain/market/instant.ts';
import { withoutGlitches } from '#shared/domain/market/outlier.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import type { Part } from '#shared/domain/market/price-series.ts';
import { measure, type Quantity } from '#shared/domain/metrics/measure.ts';
import { partsOfMetric, windowOf } from '#shared/domain/metrics/metric.ts';
import { type Measure, priceIn, type Series } from '#shared/domain/metrics/prices.ts';
import { clausesIn, type RuleCondition } from '#shared/domain/rules/alert-rule.ts';
import type {
  FloorSeries,
  Reading,
  ReadStep,
  SeriesName,
} from '#shared/domain/timeline/timeline.ts';

/** The recorded prices of a contract that windows read, oldest first. */
export type Past = {
  readonly recorded: ReadonlyMap<Part, readonly PricePoint[]>;
  /** Since when no floor is missing; undefined if none ever was. */
  readonly since?: Instant | undefined;
};

export const NO_PAST: Past = { recorded: new Map() };

/** The floors that a rule goes by. */
export function floorSeriesOf(ruleCondition: RuleCondition): FloorSeries {
  if (clausesIn(ruleCondition).some(({ minSources }) => minSources !== undefined)) return 'agreed';
  return ruleCondition.takesOutliers ? 'reported' : 'floor';
}

/** The series that a metric is read from. */
export function seriesOfMetric(
  metric: Quantity['metric'],
  floors: FloorSeries,
): readonly SeriesName[] {
  return partsOfMetric(metric).map((part) => (part === 'floor' ? floors : part));
}

/** Where the windows of a step end: at the time of the floor that it brings, or at the step. */
export function windowEndOf({ points, at }: ReadStep, floors: FloorSeries): Instant {
  return points[floors]?.time ?? at;
}

/** The value of a metric by the reading of a step. */
export function measureAt(
  quantity: Quantity,
  step: ReadStep,
  past: Past,
  floors: FloorSeries,
): Measure {
  const { metric, unit } = quantity;
  const end = windowEndOf(step, floors);
  if (windowOf(metric) === undefined)
    return measure(quantity, latest(quantity, step.reading, floors), end);
  // All watches of a metric read the same window.
  const known = measuredAt(past, step);
  const name = `${metric} ${unit} ${floors}`;
  const measured =
    known.get(name) ?? measure(quantity, knownAt(quantity, step.reading, past, floors, end), end);
  known.set(name, measured);
  return measured;
}

/** The windows that were measured at each step. */
const MEASURED = new WeakMap<Past, WeakMap<ReadStep, Map<string, Measure>>>();

function measuredAt(past: Past, step: ReadStep): Map<string, Measure> {
  const ofPast = MEASURED.get(past) ?? new WeakMap<ReadStep, Map<string, Measure>>();
  MEASURED.set(past, ofPast);
  const measured = ofPast.get(step) ?? new Map<string, Measure>();
  ofPast.set(step, measured);
  return measured;
}

/** The prices that a metric is worked out of: those of its window, and the latest of each series. */
export function knownAt(
  { metric }: Quantity,
  reading: Reading,
  past: Past,
  floors: FloorSeries,
  end: Instant,
): Series {
  const known = latest({ metric }, reading, floors);
  const floor = reading[floors];
  const window = windowOf(metric);
  if (floor === undefined || window === undefined) return known;
  const before = floorsOf(past, floors);
  const recorded = before.slice(
    Math.max(0, countUpTo(before, end - window) - 1),
    countUpTo(before, Math.min(end, floor.time - 1)),
  );
  return new Map([...known, ['floor', withGap([...recorded, floor], past.since)]]);
}

function latest(
  { metric }: Pick<Quantity, 'metric'>,
  reading: Reading,
  floors: FloorSeries,
): Series {
  const pointsOf = (part: Part): readonly Point[] => {
    const point = reading[part === 'floor' ? floors : part];
    return point === undefined ? [] : [point];
  };
  return new Map(partsOfMetric(metric).map((part) => [part, pointsOf(part)]));
}

/** Whether a step brings another price than the one before it, in the money of a metric. */
export function hasMoved({ metric, unit }: Quantity, step: ReadStep, floors: FloorSeries): boolean {
  return seriesOfMetric(metric, floors).some((name) => {
    if (step.points[name] === undefined) return false;
    const [now, before] = [priceIn(unit, step.reading[name]), priceIn(unit, step.before[name])];
    return !isDeepStrictEqual(now, before);
  });
}

/** All that is recorded, with the floors of a series. */
export function recordedIn(past: Past, floors: FloorSeries): Series {
  return new Map([...past.recorded, ['floor', withGap(floorsOf(past, floors), past.since)]]);
}

/** The recorded floors of a series, in the order of time. */
export function floorsOf(past: Past, name: FloorSeries): readonly PricePoint[] {
  const ofPast = FLOORS.get(past) ?? new Map<FloorSeries, readonly PricePoint[]>();
  FLOORS.set(past, ofPast);
  const known = ofPast.get(name) ?? floorsAmong(past.recorded.get('floor') ?? [], name);
  ofPast.set(name, known);
  return known;
}

/** One evaluation has one past for all of its watches. */
const FLOORS = new WeakMap<Past, Map<FloorSeries, readonly PricePoint[]>>();

function floorsAmong(recorded: readonly PricePoint[], name: FloorSeries): readonly PricePoint[] {
  switch (name) {
    case 'reported':
      return recorded;
    case 'floor':
      return withoutGlitches(recorded);
    case 'agreed':
      return recorded.filter(({ confirmedBy }) => confirmedBy !== undefined);
  }
}

/** Points in the order of time, with a mark on the first since when none is missing. */
function withGap(points: readonly Point[], since: Instant | undefined): readonly Point[] {
  const first = since === undefined ? -1 : points.findIndex(({ time }) => time >= since);
  const point = points[first];
  return point?.kind === 'price' ? points.with(first, { ...point, isAfterGap: true }) : points;
}

/** How many of some points, which are in order, lie at a moment or before it. */
export function countUpTo(points: readonly Point[], time: Instant): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.time ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
