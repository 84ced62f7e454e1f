import type { Instant } from '#shared/domain/market/instant.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import {
  LATEST_SERIES,
  type LatestSeries,
  type PriceSeriesName,
} from '#shared/domain/market/price-series.ts';

/**
 * The three series of floors: `reported` has every floor, `floor` excludes glitches, and `agreed`
 * has only floors that a second source of another origin confirms.
 */
export type FloorSeries = 'reported' | 'floor' | 'agreed';

/** A series of points of one contract. */
export type SeriesName = FloorSeries | LatestSeries;

export const FLOOR_SERIES: readonly FloorSeries[] = ['reported', 'floor', 'agreed'];
export const SERIES: readonly SeriesName[] = [...FLOOR_SERIES, ...LATEST_SERIES];

/**
 * The latest point of each series. In `agreed`, a floor without a confirmation is marked as
 * withheld, so it is not used as a price.
 */
export type Reading = Readonly<Partial<Record<SeriesName, Point>>>;

/** When the last answer for each series of a contract was requested. */
export type Answered = Readonly<Partial<Record<PriceSeriesName, Instant>>>;

/** A change of a contract's prices, or an evaluation that is due although no price changed. */
export type Step = {
  readonly seq: number;
  /** The time of the step: not before the previous step, and not after `asked`. */
  readonly at: Instant;
  /** When its poll sent the requests to the providers. */
  readonly asked: Instant;
  /** When the last answer for each series was requested. */
  readonly answeredAt: Answered;
  /** The new points. A series without a new point keeps its last one. */
  readonly points: Reading;
  /**
   * Set for the additional step at the end of a poll with changes, for watches whose timer is due
   * at the time of the request.
   */
  readonly forTimers?: true;
};

/** The result of a contract's past polls that evaluations need. */
export type Timeline = {
  /** The number of the last step. */
  readonly seq: number;
  readonly at: Instant;
  /** The reading before the first of `steps`, and the time of the preceding step. */
  readonly before: Reading;
  readonly beforeAt: Instant;
  /** The steps that have not been evaluated completely, in order. */
  readonly steps: readonly Step[];
  /** The newest floor, if it may be a glitch. */
  readonly suspect?: PricePoint;
  /**
   * The newest floors of the series `floor`, at most two of each currency, sorted by time. New
   * floors and revisions are compared with them.
   */
  readonly accepted: readonly PricePoint[];
  /** Floors that were reported too late to become steps, until they are recorded for windows. */
  readonly late?: readonly PricePoint[];
  /** Floors with times in the future. The first poll after its time processes such a floor. */
  readonly ahead?: readonly PricePoint[];
};

/** A step with the readings before and after it. */
export type ReadStep = Step & {
  readonly before: Reading;
  /** The time of the previous step. */
  readonly beforeAt: Instant;
  readonly reading: Reading;
};

/**
 * The timeline of a contract that was never polled. Its numbers start at the current time, so they
 * are higher than those of an earlier record of the contract.
 */
export function newTimeline(now: Instant): Timeline {
  return { seq: now, at: 0, before: {}, beforeAt: 0, steps: [], accepted: [] };
}

/** The latest point of each series. */
export function newestReading({ before, steps }: Timeline): Reading {
  return Object.assign({}, before, ...steps.map(({ points }) => points));
}

/** The times of steps and of their points. */
export function timesIn(steps: readonly Step[]): readonly Instant[] {
  return steps.flatMap(({ at, points }) => [
    at,
    ...Object.values(points).flatMap((point) => point?.time ?? []),
  ]);
}

/** The steps that wait for evaluation, each with its readings. */
export function readSteps({ before, beforeAt, steps }: Timeline): readonly ReadStep[] {
  let [reading, at] = [before, beforeAt];
  return steps.map((step) => {
    const earlier = { before: reading, beforeAt: at };
    reading = { ...reading, ...step.points };
    at = step.at;
    return { ...step, ...earlier, reading };
  });
}

/** Removes the steps up to the given number, because they are evaluated. */
export function evaluatedTo({ late, ...timeline }: Timeline, seq: number): Timeline {
  const isWhole = seq >= timeline.seq;
  const kept = { ...timeline, ...(late === undefined || isWhole ? {} : { late }) };
  const [first] = timeline.steps;
  if (first === undefined || first.seq > seq) return kept;
  const done = timeline.steps.filter((step) => step.seq <= seq);
  return {
    ...kept,
    before: newestReading({ ...timeline, steps: done }),
    beforeAt: done.at(-1)?.at ?? timeline.beforeAt,
    steps: timeline.steps.filter((step) => step.seq > seq),
  };
}

function priceSeriesNameOf(name: SeriesName): PriceSeriesName {
  return name === 'reported' || name === 'floor' || name === 'agreed' ? 'floor' : name;
}

/** The newest point of a series, even if it may be a glitch; a floor includes its confirmation. */
export function newestIn(reading: Reading, series: PriceSeriesName): Point | undefined {
  if (series !== 'floor') return reading[series];
  const { reported, agreed } = reading;
  const isAgreed = agreed?.kind === 'price' && !agreed.isWithheld && agreed.time === reported?.time;
  return isAgreed ? agreed : reported;
}

/** Removes series that are no longer polled, because their prices are outdated. */
export function withSeries(timeline: Timeline, needed: ReadonlySet<PriceSeriesName>): Timeline {
  const isNeeded = (name: SeriesName) => needed.has(priceSeriesNameOf(name));
  if (SERIES.every((name) => isNeeded(name) || newestReading(timeline)[name] === undefined)) {
    return timeline;
  }
  const kept = (reading: Reading): Reading =>
    Object.fromEntries(
      SERIES.flatMap((name) => {
        const point = isNeeded(name) ? reading[name] : undefined;
        return point === undefined ? [] : [[name, point]];
      }),
    );
  const { suspect, accepted, ahead, ...rest } = timeline;
  const floors = needed.has('floor')
    ? { accepted, ...(suspect && { suspect }), ...(ahead && { ahead }) }
    : { accepted: [] };
  return {
    ...rest,
    ...floors,
    before: kept(timeline.before),
    steps: timeline.steps.map((step) => ({ ...step, points: kept(step.points) })),
  };
}
