import { isDeepStrictEqual } from 'node:util';
import { HOUR, type Instant } from '#shared/domain/market/instant.ts';
import { isFar, isNearer, withoutGlitches } from '#shared/domain/market/outlier.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import { LATEST_PARTS, type LatestPart } from '#shared/domain/market/price-series.ts';
import {
  type Answered,
  newestIn,
  type Reading,
  readingOf,
  SERIES,
  type Step,
  type Timeline,
} from './timeline.ts';

/** What a poll has learned. */
export type PollAnswers = {
  readonly asked: Instant;
  /** When each part was last answered, by this poll or an earlier one. */
  readonly answeredAt: Answered;
  /** The reported floors, in any order. The later of two of one time counts. Absent if none answered. */
  readonly floors?: readonly PricePoint[];
  /** The newest values of all other series. */
  readonly latest: Readonly<Partial<Record<LatestPart, Point>>>;
};

/** The newest floors of an answer become steps, so many at most. */
export const MOST_FLOORS = 48;
/** A floor is compared with the one before it, and a revision with the one before that. */
const KEPT_OF_CURRENCY = 2;
/** The most points that wait for an evaluation. A floor is one in all its series; an empty step is one. */
const MOST_POINTS = 96;
/**
 * A suspect that no floor confirms or contradicts counts after so long. A vendor that reports one
 * floor a day has reported the next by then.
 */
export const SUSPECT_COUNTS_AFTER = 25 * HOUR;

/**
 * The timeline with the steps of an answered poll.
 *
 * Each new floor makes one step, oldest first. The last step carries all other changes of the poll,
 * so that they are one observation. If nothing changed, there is one step
 * without points if `isDue`: if a timer of the contract is due, or a rule with a window is in an
 * episode. The last step of a poll is at the moment of the question.
 */
export function appendPoll(timeline: Timeline, poll: PollAnswers, isDue: boolean): Timeline {
  const reading = readingOf(timeline);
  const { told, ahead } = toldBy(timeline, poll);
  const newest = newestIn(reading, 'floor');
  const fresh = newFloors(told, newest);
  const begun =
    newest === undefined
      ? withEarlier(timeline, told)
      : withLate(timeline, told, fresh[0] ?? newest);
  const judged = fresh.reduce(withFloor, { timeline: begun, found: [] });
  const latest = Object.fromEntries(
    LATEST_PARTS.flatMap((part) => {
      const point = poll.latest[part];
      return point === undefined || isSameLatest(reading[part], point) ? [] : [[part, point]];
    }),
  );
  const whole = { ...judged, found: together(judged.found, latest) };
  const counted = fresh.length === 0 ? withOldSuspect(whole, poll) : whole;
  return withSteps(withAhead(counted.timeline, ahead), poll, counted.found, isDue);
}

/** The points that become known together, and the time of the last of them. */
type Found = { readonly points: Reading; readonly time: Instant };

type Judged = { readonly timeline: Timeline; readonly found: readonly Found[] };

type Told = { readonly told: readonly PricePoint[]; readonly ahead: readonly PricePoint[] };

/** Reported floors in the order of time, and the floors that are ahead of the question. */
function toldBy({ ahead: known = [] }: Timeline, { floors, asked }: PollAnswers): Told {
  if (floors === undefined) return { told: [], ahead: known };
  const byTime = new Map(known.map((floor) => [floor.time, floor]));
  for (const floor of floors) byTime.set(floor.time, confirmedAs(byTime.get(floor.time), floor));
  const all = [...byTime.values()].toSorted((one, other) => one.time - other.time);
  const isAhead = ({ time }: PricePoint) => time > asked;
  return {
    told: all.filter((floor) => !isAhead(floor)),
    ahead: all.filter(isAhead).slice(-MOST_FLOORS),
  };
}

/** A repeated report does not withdraw the confirmation by another source. */
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

/** Earlier floors of the first answer make no steps, because the contract was not watched yet. */
function withEarlier(timeline: Timeline, told: readonly PricePoint[]): Timeline {
  const newest = told.at(-1);
  const earlier = withoutGlitches(told).filter((floor) => floor !== newest);
  return { ...timeline, accepted: earlier.reduce(placed, timeline.accepted) };
}

/**
 * Floors that are older than the newest known one, or than the first that makes a step, make none.
 * They are recorded for windows, unless they may be glitches.
 */
function withLate(timeline: Timeline, told: readonly PricePoint[], first: Point): Timeline {
  let { accepted } = timeline;
  const late = [...(timeline.late ?? [])];
  for (const floor of told) {
    const isKnown = accepted.some((other) => isDeepStrictEqual(other, bare(floor)));
    const isOfSuspect = timeline.suspect?.time === floor.time;
    if (floor.time >= first.time || isKnown || isOfSuspect) continue;
    const before = accepted.findLast(
      ({ time, currency }) => time < floor.time && currency === floor.currency,
    );
    // It may be a glitch that an earlier poll has brought.
    if (before === undefined || isFar(floor, before)) continue;
    accepted = placed(accepted, floor);
    late.push(floor);
  }
  return late.length === 0 ? timeline : { ...timeline, accepted, late };
}

/** The new floors of an answer; of the very first only the newest. */
function newFloors(told: readonly PricePoint[], newest: Point | undefined): readonly PricePoint[] {
  if (newest === undefined) return told.slice(-1);
  return told
    .filter((floor) => floor.time > newest.time || isRevisionOf(newest, floor))
    .slice(-MOST_FLOORS);
}

function isRevisionOf(newest: Point, floor: PricePoint): boolean {
  if (newest.kind === 'empty' || newest.time !== floor.time) return false;
  const isAgreed = (point: PricePoint) => point.confirmedBy !== undefined;
  return !isSamePoint(newest, floor) || isAgreed(newest) !== isAgreed(floor);
}

/**
 * A floor is a suspect if it is far from the accepted price before it, unless a second source reports
 * it, or it confirms the suspect before it. A revision is judged as what it revises was, and confirms
 * nothing itself.
 */
function withFloor({ timeline, found }: Judged, floor: PricePoint): Judged {
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

/** The suspect counts if no floor has followed it for long enough. */
function withOldSuspect({ timeline, found }: Judged, { asked, floors }: PollAnswers): Judged {
  const { suspect, accepted, ...rest } = timeline;
  const isOld = suspect !== undefined && asked >= suspect.time + SUSPECT_COUNTS_AFTER;
  if (!isOld || floors === undefined) return { timeline, found };
  return {
    timeline: { ...rest, accepted: placed(accepted, suspect) },
    found: [...found, { points: { floor: suspect }, time: asked }],
  };
}

/** Floors in the order of time, with another in its place; two of each currency are kept. */
function placed(floors: readonly PricePoint[], floor: PricePoint): readonly PricePoint[] {
  const others = floors.filter(({ time }) => time !== floor.time);
  const all = [...others, bare(floor)].toSorted((one, other) => one.time - other.time);
  return [...Map.groupBy(all, ({ currency }) => currency).values()]
    .flatMap((ofCurrency) => ofCurrency.slice(-KEPT_OF_CURRENCY))
    .toSorted((one, other) => one.time - other.time);
}

/** A price as it is compared: the record is read for each contract each minute. */
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
  let reading = readingOf(timeline);
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

/** The points that say something else than the reading. */
function changesIn(points: Reading, reading: Reading): Reading {
  return Object.fromEntries(
    SERIES.flatMap((name) => {
      const point = points[name];
      return point === undefined || isSamePoint(reading[name], point) ? [] : [[name, point]];
    }),
  );
}

/** If evaluations are slower than polls, the oldest steps that wait become one. */
function bounded(timeline: Timeline): Timeline {
  const { steps } = timeline;
  const points = steps.reduce((sum, step) => sum + Math.max(1, countPoints(step)), 0);
  const [first, second, ...others] = steps;
  if (points <= MOST_POINTS || first === undefined || second === undefined) return timeline;
  return bounded({ ...timeline, steps: [mergedStep(first, second), ...others] });
}

/** The later of two steps with the points of both. With points it is no step for timers alone. */
function mergedStep(first: Step, { forTimers, ...second }: Step): Step {
  const points = { ...first.points, ...second.points };
  const isForTimers = forTimers === true && Object.keys(points).length === 0;
  return { ...second, points, ...(isForTimers ? { forTimers } : {}) };
}

function countPoints({ points }: Step): number {
  const latest = LATEST_PARTS.filter((part) => points[part] !== undefined).length;
  return Object.keys(points).length > latest ? latest + 1 : latest;
}

/** Whether two points say the same, whoever reports them. */
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
