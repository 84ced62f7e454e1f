import type { Instant } from '#shared/domain/market/instant.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import { LATEST_PARTS, type LatestPart, type Part } from '#shared/domain/market/price-series.ts';

/**
 * Floors form three series: `reported` has every floor, `floor` leaves out glitches, and `agreed` has
 * only floors that a second source of another origin reports, too.
 */
export type FloorSeries = 'reported' | 'floor' | 'agreed';

/** A series of points of one contract. */
export type SeriesName = FloorSeries | LatestPart;

export const FLOOR_SERIES: readonly FloorSeries[] = ['reported', 'floor', 'agreed'];
export const SERIES: readonly SeriesName[] = [...FLOOR_SERIES, ...LATEST_PARTS];

/**
 * The latest point of each series. A floor that one source reports alone is withheld in `agreed`: it
 * is no price there.
 */
export type Reading = Readonly<Partial<Record<SeriesName, Point>>>;

/** When the last answer for each part of a contract was asked for. */
export type Answered = Readonly<Partial<Record<Part, Instant>>>;

/** One change of a contract's prices, or one evaluation without a change. */
export type Step = {
  readonly seq: number;
  /** Never before the step before it, and never later than `asked`. */
  readonly at: Instant;
  /** When its poll asked the providers. */
  readonly asked: Instant;
  /** When the last answer for each part was asked for. */
  readonly answeredAt: Answered;
  /** The new points. A series without one keeps the point that it has. */
  readonly points: Reading;
  /** It ends a poll that brought something, for watches whose timer has come by then. */
  readonly forTimers?: true;
};

/** All that the evaluation needs to know of a contract's past polls. */
export type Timeline = {
  /** The number of the last step. */
  readonly seq: number;
  readonly at: Instant;
  /** The reading before the first of `steps`, and the time of the step before them. */
  readonly before: Reading;
  readonly beforeAt: Instant;
  /** The steps that no finished evaluation has evaluated, in order. */
  readonly steps: readonly Step[];
  /** The newest floor, while it may be a glitch. */
  readonly suspect?: PricePoint;
  /**
   * The newest floors of the series `floor`, two of each currency at most, in the order of time: new
   * floors and revisions are compared with them.
   */
  readonly accepted: readonly PricePoint[];
  /** Floors that came too late for a step, until they are recorded: windows read them. */
  readonly late?: readonly PricePoint[];
  /** Floors that were reported before their time: they count in the first poll after it. */
  readonly ahead?: readonly PricePoint[];
};

/** A step with the readings before and after it. */
export type ReadStep = Step & {
  readonly before: Reading;
  /** When the step before it was. */
  readonly beforeAt: Instant;
  readonly reading: Reading;
};

/**
 * The timeline of a contract that was never polled. Its numbers begin with the time, so they are
 * above those of an earlier record of the contract.
 */
export function newTimeline(now: Instant): Timeline {
  return { seq: now, at: 0, before: {}, beforeAt: 0, steps: [], accepted: [] };
}

/** The latest point of each series. */
export function readingOf({ before, steps }: Timeline): Reading {
  return Object.assign({}, before, ...steps.map(({ points }) => points));
}

/** The times of steps, and of the points that they brought. */
export function timesIn(steps: readonly Step[]): readonly Instant[] {
  return steps.flatMap(({ at, points }) => [
    at,
    ...Object.values(points).flatMap((point) => point?.time ?? []),
  ]);
}

/** The steps that wait for their evaluation, each with its readings. */
export function readSteps({ before, beforeAt, steps }: Timeline): readonly ReadStep[] {
  let [reading, at] = [before, beforeAt];
  return steps.map((step) => {
    const earlier = { before: reading, beforeAt: at };
    reading = { ...reading, ...step.points };
    at = step.at;
    return { ...step, ...earlier, reading };
  });
}

/** The timeline without the steps up to a number, which are evaluated. */
export function evaluatedTo({ late, ...timeline }: Timeline, seq: number): Timeline {
  const isWhole = seq >= timeline.seq;
  const kept = { ...timeline, ...(late === undefined || isWhole ? {} : { late }) };
  const [first] = timeline.steps;
  if (first === undefined || first.seq > seq) return kept;
  const done = timeline.steps.filter((step) => step.seq <= seq);
  return {
    ...kept,
    before: readingOf({ ...timeline, steps: done }),
    beforeAt: done.at(-1)?.at ?? timeline.beforeAt,
    steps: timeline.steps.filter((step) => step.seq > seq),
  };
}

/** The part of a contract that a series is of. */
function partOfSeries(name: SeriesName): Part {
  return name === 'reported' || name === 'floor' || name === 'agreed' ? 'floor' : name;
}

/** The newest point of a part, whatever it is worth; of a floor with the source that vouches for it. */
export function newestIn(reading: Reading, part: Part): Point | undefined {
  if (part !== 'floor') return reading[part];
  const { reported, agreed } = reading;
  const isAgreed = agreed?.kind === 'price' && !agreed.isWithheld && agreed.time === reported?.time;
  return isAgreed ? agreed : reported;
}

/** The timeline without the series of parts that are no longer polled: their prices are outdated. */
export function withParts(timeline: Timeline, needed: ReadonlySet<Part>): Timeline {
  const isNeeded = (name: SeriesName) => needed.has(partOfSeries(name));
  if (SERIES.every((name) => isNeeded(name) || readingOf(timeline)[name] === undefined)) {
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
