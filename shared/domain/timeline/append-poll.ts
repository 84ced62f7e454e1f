import { isDeepStrictEqual } from 'node:util';
import { HOUR, type Instant } from '#shared/domain/market/instant.ts';
import { isFar, isNearer, withoutGlitches } from '#shared/domain/market/outlier.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import { LATEST_SERIES, type LatestSeries } from '#shared/domain/market/price-series.ts';
import {
  type Answered,
  newestIn,
  newestReading,
  type Reading,
  SERIES,
  type Step,
  type Timeline,
} from './timeline.ts';

/** The answers of a poll. */
export type PollAnswers = {
  readonly asked: Instant;
  /** When each series was last answered, by this poll or an earlier one. */
  readonly answeredAt: Answered;
  /**
   * The reported floors, in any order. If two have the same time, the last one is used. Undefined
   * if no provider answered.
   */
  readonly floors?: readonly PricePoint[];
  /** Whether the floors were computed from accepted floors, so that they cannot be glitches. */
  readonly areAccepted?: boolean;
  /** The newest values of all other series. */
  readonly latest: Readonly<Partial<Record<LatestSeries, Point>>>;
};

/**
 * Maximum number of floors of one answer that become steps. If there are more, only the newest ones
 * become steps.
 */
export const MOST_FLOORS = 48;
/**
 * Accepted floors kept per currency: a floor is compared with the previous one, and a revision with
 * the one before that.
 */
const KEPT_OF_CURRENCY = 2;
/**
 * Maximum number of points that wait for evaluation. A floor counts as one point even if it is in
 * several series, and an empty step counts as one point.
 */
const MOST_POINTS = 96;
/**
 * A suspect is accepted after this time if no floor has followed it. By then, a provider with one
 * floor a day has reported the next one.
 */
export const SUSPECT_COUNTS_AFTER = 25 * HOUR;

/**
 * Appends the steps of an answered poll to a timeline.
 *
 * Each new floor becomes a step, oldest first. The last of these steps also has all other changes
 * of the poll, so that they are one observation. If nothing changed and `isDue` is set, one empty
 * step is appended: for a due timer, or for an open episode of a rule with a window. The last step
 * of a poll has the time of the request.
 */
export function appendPoll(timeline: Timeline, poll: PollAnswers, isDue: boolean): Timeline {
  const reading = newestReading(timeline);
  const { reported, ahead } = reportedBy(timeline, poll);
  const newest = newestIn(reading, 'floor');
  const fresh = newFloors(reported, newest);
  const begun =
    newest === undefined
      ? withEarlier(timeline, reported)
      : withLate(timeline, reported, fresh[0] ?? newest);
  const judged = fresh.reduce<Judged>(
    (known, floor) => withFloor(known, floor, poll.areAccepted === true),
    { timeline: begun, found: [] },
  );
  const latest = Object.fromEntries(
    LATEST_SERIES.flatMap((series) => {
      const point = poll.latest[series];
      return point === undefined || isSameLatest(reading[series], point) ? [] : [[series, point]];
    }),
  );
  const whole = { ...judged, found: together(judged.found, latest) };
  const counted = fresh.length === 0 ? withOldSuspect(whole, poll) : whole;
  return withSteps(withAhead(counted.timeline, ahead), poll, counted.found, isDue);
}

/** Points that become known together, and the time of the last one. */
type Found = { readonly points: Reading; readonly time: Instant };

type Judged = { readonly timeline: Timeline; readonly found: readonly Found[] };

type Reported = { readonly reported: readonly PricePoint[]; readonly ahead: readonly PricePoint[] };

/**
 * The reported floors sorted by time, divided into those up to the request and those with later
 * times.
 */
function reportedBy({ ahead: known = [] }: Timeline, { floors, asked }: PollAnswers): Reported {
  if (floors === undefined) return { reported: [], ahead: known };
  const byTime = new Map(known.map((floor) => [floor.time, floor]));
  for (const floor of floors) byTime.set(floor.time, confirmedAs(byTime.get(floor.time), floor));
  const all = [...byTime.values()].toSorted((one, other) => one.time - other.time);
  const isAhead = ({ time }: PricePoint) => time > asked;
  return {
    reported: all.filter((floor) => !isAhead(floor)),
    ahead: all.filter(isAhead).slice(-MOST_FLOORS),
  };
}

/** If a known floor is reported again, keeps its confirmation by another source. */
function confirmedAs(before: PricePoint | undefined, floor: PricePoint): PricePoint {
  const isRepeated = before?.confirmedBy !== undefined && isSamePoint(before, floor);
  return isRepeated && floor.confirmedBy === undefined ? before : floor;
}

function withAhead(
  { ahead: _before, ...timeline }: Timeline,
  ahead: readonly PricePoint[],
): Timeline {
  return ahead.length === 0 ? timeline : { ...timeline, ahead };
}

/**
 * In the first answer, floors before the newest one do not become steps, because the contract was
 * not watched yet.
 */
function withEarlier(timeline: Timeline, reported: readonly PricePoint[]): Timeline {
  const newest = reported.at(-1);
  const earlier = withoutGlitches(reported).filter((floor) => floor !== newest);
  return { ...timeline, accepted: earlier.reduce(placed, timeline.accepted) };
}

/**
 * Floors that are older than the newest known one, or than the first new step, do not become steps.
 * They are recorded for windows unless they may be glitches.
 */
function withLate(timeline: Timeline, reported: readonly PricePoint[], first: Point): Timeline {
  let { accepted } = timeline;
  const late = [...(timeline.late ?? [])];
  for (const floor of reported) {
    const isKnown = accepted.some((other) => isDeepStrictEqual(other, bare(floor)));
    const isOfSuspect = timeline.suspect?.time === floor.time;
    if (floor.time >= first.time || isKnown || isOfSuspect) continue;
    const before = accepted.findLast(
      ({ time, currency }) => time < floor.time && currency === floor.currency,
    );
    // Omit the floor if it may be a glitch.
    if (before === undefined || isFar(floor, before)) continue;
    accepted = placed(accepted, floor);
    late.push(floor);
  }
  return late.length === 0 ? timeline : { ...timeline, accepted, late };
}

/** The new floors of an answer. In the first answer only the newest floor is new. */
function newFloors(
  reported: readonly PricePoint[],
  newest: Point | undefined,
): readonly PricePoint[] {
  if (newest === undefined) return reported.slice(-1);
  return reported
    .filter((floor) => floor.time > newest.time || isRevisionOf(newest, floor))
    .slice(-MOST_FLOORS);
}

function isRevisionOf(newest: Point, floor: PricePoint): boolean {
  if (newest.kind === 'empty' || newest.time !== floor.time) return false;
  const isAgreed = (point: PricePoint) => point.confirmedBy !== undefined;
  return !isSamePoint(newest, floor) || isAgreed(newest) !== isAgreed(floor);
}

/**
 * Adds a floor. The floor is a suspect if it is far from the accepted price before it, unless a
 * second source confirms the floor, or the floor confirms the previous suspect. A revision is
 * compared with the same price as the floor that it revises, and does not confirm that floor.
 */
function withFloor({ timeline, found }: Judged, floor: PricePoint, isAccepted: boolean): Judged {
  const { suspect, accepted, ...rest } = timeline;
  const held = suspect?.time === floor.time ? undefined : suspect;
  const last = accepted.findLast(
    ({ time, currency }) => time < floor.time && currency === floor.currency,
  );
  const agreed: Point = floor.confirmedBy === undefined ? { ...floor, isWithheld: true } : floor;
  const isOfOtherMoney = held !== undefined && held.currency !== floor.currency;
  const isConfirming = held !== undefined && last !== undefined && isNearer(floor, held, last);
  if (
    last !== undefined &&
    isFar(floor, last) &&
    !isConfirming &&
    !isAccepted &&
    floor.confirmedBy === undefined
  ) {
    const here = { points: { reported: floor, agreed }, time: floor.time };
    return { timeline: { ...rest, accepted, suspect: floor }, found: [...found, here] };
  }
  const here = { points: { reported: floor, floor, agreed }, time: floor.time };
  if (isOfOtherMoney) {
    const kept = { ...rest, suspect: held, accepted: placed(accepted, floor) };
    return { timeline: kept, found: [...found, here] };
  }
  const confirmed = isConfirming ? [{ points: { floor: held }, time: held.time }] : [];
  const known = isConfirming ? placed(accepted, held) : accepted;
  return {
    timeline: { ...rest, accepted: placed(known, floor) },
    found: [...found, ...confirmed, here],
  };
}

/** Accepts a suspect that no floor has followed for `SUSPECT_COUNTS_AFTER`. */
function withOldSuspect({ timeline, found }: Judged, { asked, floors }: PollAnswers): Judged {
  const { suspect, accepted, ...rest } = timeline;
  const isOld = suspect !== undefined && asked >= suspect.time + SUSPECT_COUNTS_AFTER;
  if (!isOld || floors === undefined) return { timeline, found };
  return {
    timeline: { ...rest, accepted: placed(accepted, suspect) },
    found: [...found, { points: { floor: suspect }, time: asked }],
  };
}

/**
 * Inserts a floor into others that are sorted by time, and keeps the newest two of each currency.
 */
function placed(floors: readonly PricePoint[], floor: PricePoint): readonly PricePoint[] {
  const others = floors.filter(({ time }) => time !== floor.time);
  const all = [...others, bare(floor)].toSorted((one, other) => one.time - other.time);
  return [...Map.groupBy(all, ({ currency }) => currency).values()]
    .flatMap((ofCurrency) => ofCurrency.slice(-KEPT_OF_CURRENCY))
    .toSorted((one, other) => one.time - other.time);
}

/**
 * Keeps only the members that are compared, because the record of each contract is read every
 * minute.
 */
function bare({ kind, time, price, currency }: PricePoint): PricePoint {
  return { kind, time, price, currency };
}

/** Adds the newest values of the other series to the last step of a poll. */
function together(found: readonly Found[], latest: Reading): readonly Found[] {
  const times = Object.values(latest).flatMap((point) => point?.time ?? []);
  if (times.length === 0) return found;
  const last = found.at(-1) ?? { points: {}, time: 0 };
  const whole = { points: { ...last.points, ...latest }, time: Math.max(last.time, ...times) };
  return [...found.slice(0, -1), whole];
}

function withSteps(
  timeline: Timeline,
  { asked, answeredAt }: PollAnswers,
  found: readonly Found[],
  isDue: boolean,
): Timeline {
  let { seq, at } = timeline;
  let reading = newestReading(timeline);
  const steps: Step[] = [];
  const add = (points: Reading, time: Instant, forTimers?: true) => {
    seq += 1;
    at = Math.max(at, Math.min(asked, time));
    const changed = changesIn(points, reading);
    reading = { ...reading, ...changed };
    steps.push({ seq, at, asked, answeredAt, points: changed, ...(forTimers && { forTimers }) });
  };
  for (const { points, time } of found) add(points, time);
  if (found.length === 0 && isDue) add({}, asked);
  if (steps.length > 0 && at < asked) add({}, asked, true);
  return bounded({ ...timeline, seq, at, steps: [...timeline.steps, ...steps] });
}

/** The points that differ from the reading. */
function changesIn(points: Reading, reading: Reading): Reading {
  return Object.fromEntries(
    SERIES.flatMap((name) => {
      const point = points[name];
      return point === undefined || isSamePoint(reading[name], point) ? [] : [[name, point]];
    }),
  );
}

/**
 * Limits the number of waiting points by merging the oldest steps, in case evaluations are slower
 * than polls.
 */
function bounded(timeline: Timeline): Timeline {
  const { steps } = timeline;
  const points = steps.reduce((sum, step) => sum + Math.max(1, countPoints(step)), 0);
  const [first, second, ...others] = steps;
  if (points <= MOST_POINTS || first === undefined || second === undefined) return timeline;
  return bounded({ ...timeline, steps: [mergedStep(first, second), ...others] });
}

/**
 * Merges two steps into the later one, which gets the points of both. The merged step keeps
 * `forTimers` only if it has no points.
 */
function mergedStep(first: Step, { forTimers, ...second }: Step): Step {
  const points = { ...first.points, ...second.points };
  const isForTimers = forTimers === true && Object.keys(points).length === 0;
  return { ...second, points, ...(isForTimers ? { forTimers } : {}) };
}

function countPoints({ points }: Step): number {
  const latest = LATEST_SERIES.filter((series) => points[series] !== undefined).length;
  return Object.keys(points).length > latest ? latest + 1 : latest;
}

/** Whether two points have the same content, regardless of their source. */
function isSamePoint(one: Point | undefined, other: Point): boolean {
  if (one?.kind !== 'price' || other.kind !== 'price') return isDeepStrictEqual(one, other);
  if (one.isWithheld && other.isWithheld) return one.time === other.time;
  return isDeepStrictEqual(said(one), said(other));
}

function said({ time, price, currency, usd, tradedAt, isWithheld }: PricePoint) {
  return [time, price, currency, usd, tradedAt, isWithheld];
}

function isSameLatest(known: Point | undefined, point: Point): boolean {
  if (known?.kind !== 'price' || point.kind !== 'price') return known?.kind === point.kind;
  const isSamePrice = known.price === point.price && known.currency === point.currency;
  return isSamePrice && known.tradedAt === point.tradedAt;
}
