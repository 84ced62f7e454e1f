import { isDeepStrictEqual } from 'node:util';
import type { Instant } from '#shared/domain/market/instant.ts';
import { withoutGlitches } from '#shared/domain/market/outlier.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import { measure, type Quantity } from '#shared/domain/metrics/measure.ts';
import { seriesOfMetric, windowOf } from '#shared/domain/metrics/metric.ts';
import { type Measure, priceIn, type Series } from '#shared/domain/metrics/prices.ts';
import { clausesIn, type RuleCondition } from '#shared/domain/rules/alert-rule.ts';
import type {
  FloorSeries,
  Reading,
  ReadStep,
  SeriesName,
} from '#shared/domain/timeline/timeline.ts';

/** The recorded prices that windows read, oldest first. */
export type Past = {
  readonly recorded: ReadonlyMap<PriceSeriesName, readonly PricePoint[]>;
  /** The recorded floors are complete from this time on; undefined if no floor was ever missing. */
  readonly since?: Instant | undefined;
};

export const NO_PAST: Past = { recorded: new Map() };

/** The floor series that a rule uses. */
export function floorSeriesOf(ruleCondition: RuleCondition): FloorSeries {
  if (clausesIn(ruleCondition).some(({ minSources }) => minSources !== undefined)) return 'agreed';
  return ruleCondition.takesOutliers ? 'reported' : 'floor';
}

/** The series that a metric reads. */
export function stepSeriesOfMetric(
  metric: Quantity['metric'],
  floors: FloorSeries,
): readonly SeriesName[] {
  return seriesOfMetric(metric).map((series) => (series === 'floor' ? floors : series));
}

/** The time at which windows end at a step: the time of its new floor, or else of the step. */
export function windowEndOf({ points, at }: ReadStep, floors: FloorSeries): Instant {
  return points[floors]?.time ?? at;
}

/** The value of a metric at a step. */
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
  // All watches with the same metric, unit and floors share one measurement of the window.
  const known = measuredAt(past, step);
  const name = `${metric} ${unit} ${floors}`;
  const measured =
    known.get(name) ?? measure(quantity, knownAt(quantity, step.reading, past, floors, end), end);
  known.set(name, measured);
  return measured;
}

/** Cache of measured windows by step. */
const MEASURED = new WeakMap<Past, WeakMap<ReadStep, Map<string, Measure>>>();

function measuredAt(past: Past, step: ReadStep): Map<string, Measure> {
  const ofPast = MEASURED.get(past) ?? new WeakMap<ReadStep, Map<string, Measure>>();
  MEASURED.set(past, ofPast);
  const measured = ofPast.get(step) ?? new Map<string, Measure>();
  ofPast.set(step, measured);
  return measured;
}

/**
 * The prices from which a metric is computed: those of its window, and the latest price of each
 * series.
 */
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
  const pointsOf = (series: PriceSeriesName): readonly Point[] => {
    const point = reading[series === 'floor' ? floors : series];
    return point === undefined ? [] : [point];
  };
  return new Map(seriesOfMetric(metric).map((series) => [series, pointsOf(series)]));
}

/** Whether a step changes the price of a metric, in its unit. */
export function hasMoved({ metric, unit }: Quantity, step: ReadStep, floors: FloorSeries): boolean {
  return stepSeriesOfMetric(metric, floors).some((name) => {
    if (step.points[name] === undefined) return false;
    const [now, before] = [priceIn(unit, step.reading[name]), priceIn(unit, step.before[name])];
    return !isDeepStrictEqual(now, before);
  });
}

/** All recorded points. The floors are those of the given floor series. */
export function recordedIn(past: Past, floors: FloorSeries): Series {
  return new Map([...past.recorded, ['floor', withGap(floorsOf(past, floors), past.since)]]);
}

/** The recorded floors of a series, oldest first. */
export function floorsOf(past: Past, name: FloorSeries): readonly PricePoint[] {
  const ofPast = FLOORS.get(past) ?? new Map<FloorSeries, readonly PricePoint[]>();
  FLOORS.set(past, ofPast);
  const known = ofPast.get(name) ?? floorsAmong(past.recorded.get('floor') ?? [], name);
  ofPast.set(name, known);
  return known;
}

/** Cache of the floors of each series. All watches of an evaluation share one `Past`. */
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

/**
 * Marks the first point at `since` or later, because floors before it may be missing. The points
 * are oldest first.
 */
function withGap(points: readonly Point[], since: Instant | undefined): readonly Point[] {
  const first = since === undefined ? -1 : points.findIndex(({ time }) => time >= since);
  const point = points[first];
  return point?.kind === 'price' ? points.with(first, { ...point, isAfterGap: true }) : points;
}

/** Number of points at a moment or before it. The points are oldest first. */
export function countUpTo(points: readonly Point[], time: Instant): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.time ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
