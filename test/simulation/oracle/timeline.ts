/**
 * The timeline of a contract: the steps of an answered poll, derived from the answers of the
 * providers as the design describes them.
 */

import {
  type Instant,
  isSameReport,
  type Point,
  type PricePoint,
  type PriceSeriesName,
  type Reading,
  type RecordedFloors,
  type SeriesName,
  type StepRecord,
  type ValueSeries,
} from './points.ts';

const MINUTE = 60_000;
/** An unchanged floor without a reported time is a new point after this time. */
const REPEATED_FLOOR = 10 * MINUTE;
/** A suspect is accepted after this time without another floor. */
const LONGEST_SUSPICION = 25 * 60 * MINUTE;
const MOST_STEPS = 48;

export type Timeline = {
  readonly seq: number;
  readonly at: Instant;
  readonly reading: Reading;
  /** Time of the last answered request for each price series. */
  readonly answeredAt: StepRecord['answeredAt'];
  /** An outlier that the next price confirms or refutes. */
  readonly suspect: PricePoint | undefined;
  /**
   * Floors later than the request. Such a floor takes effect with the first answer that is
   * requested after its time.
   */
  readonly ahead: readonly PricePoint[];
  /** All floors and the accepted floors, each in the order of their times. */
  readonly reported: readonly PricePoint[];
  readonly accepted: readonly PricePoint[];
};

/** A floor as a provider reports it, and the second source if one confirmed it. */
export type ReportedFloor = Pick<PricePoint, 'price' | 'currency' | 'usd' | 'confirmedBy'> & {
  /** Undefined for a provider that reports only the current floor. */
  readonly time: Instant | undefined;
};

export type Answer = {
  readonly asked: Instant;
  readonly answered: readonly PriceSeriesName[];
  /**
   * The reported floors, in any order. Of several floors with the same time, the last one is used.
   */
  readonly floors: readonly ReportedFloor[];
  readonly sales: { readonly [Name in ValueSeries]?: Point };
  /** Whether a timer is due, or a rule with a window is in an episode. */
  readonly isTimerDue: boolean;
};

export type Commit = { readonly timeline: Timeline; readonly steps: readonly StepRecord[] };

/** Points that become known at one time. */
type News = { readonly points: Reading; readonly time: Instant };

type Judgement = { readonly timeline: Timeline; readonly news: readonly News[] };

export function createTimeline(): Timeline {
  const at = Number.NEGATIVE_INFINITY;
  return {
    seq: 0,
    at,
    reading: {},
    answeredAt: {},
    suspect: undefined,
    ahead: [],
    reported: [],
    accepted: [],
  };
}

/** The floors that rules with windows read. */
export function recordedFloors({ reported, accepted }: Timeline): RecordedFloors {
  const agreed = reported.filter(({ confirmedBy }) => confirmedBy !== undefined);
  return { reported, floor: accepted, agreed };
}

/** Appends the steps of an answered poll. */
export function commit(before: Timeline, answer: Answer): Commit {
  const reported = readFloors(before, answer);
  const floors = reported.filter(({ time }) => time <= answer.asked);
  const fresh = freshFloors(before, floors);
  const answered = answer.answered.map((series) => [series, answer.asked] as const);
  const answeredAt = { ...before.answeredAt, ...Object.fromEntries(answered) };
  const ahead = answer.answered.includes('floor')
    ? reported.filter(({ time }) => time > answer.asked)
    : before.ahead;
  const { timeline, news } = judgeAll({ ...before, answeredAt, ahead }, floors, fresh);
  const sales = newSales(timeline, answer);
  let committed: Commit = { timeline, steps: [] };
  for (const one of withSales(news, sales)) committed = append(committed, answer, one);
  if (fresh.length === 0) committed = releaseSuspect(committed, answer);
  if (committed.steps.length === 0) {
    return answer.isTimerDue
      ? append(committed, answer, { points: {}, time: answer.asked })
      : committed;
  }
  return appendForTimers(committed, answer);
}

/** The reported floors, and earlier ones whose time was after their request; oldest first. */
function readFloors(timeline: Timeline, { asked, answered, floors }: Answer): PricePoint[] {
  if (!answered.includes('floor')) return [];
  const points = floors.map((floor) => readFloor(timeline, floor, asked));
  const byTime = new Map([...timeline.ahead, ...points].map((point) => [point.time, point]));
  return [...byTime.values()].toSorted(inTime);
}

function readFloor(
  { reported, ahead }: Timeline,
  { time, ...floor }: ReportedFloor,
  asked: Instant,
): PricePoint {
  const before = time === undefined ? reported : [...reported, ...ahead];
  const known = before.findLast((point) => time === undefined || point.time === time);
  if (time === undefined) {
    const isUnchanged = known?.price === floor.price && known.currency === floor.currency;
    if (isUnchanged && asked - known.time < REPEATED_FLOOR) return confirmed(known, floor);
    return { kind: 'price', time: asked, ...floor };
  }
  const point: PricePoint = { kind: 'price', time, ...floor };
  // A repeated report does not withdraw the confirmation of a second source.
  return known !== undefined && isSameReport(known, point) ? confirmed(known, point) : point;
}

function confirmed(
  known: PricePoint,
  { confirmedBy = known.confirmedBy }: Pick<PricePoint, 'confirmedBy'>,
): PricePoint {
  return confirmedBy === undefined ? known : { ...known, confirmedBy };
}

/**
 * Floors that make steps: those newer than the newest reported floor, and revisions of that floor.
 */
function freshFloors({ reported }: Timeline, floors: readonly PricePoint[]): readonly PricePoint[] {
  const newest = reported.at(-1);
  if (newest === undefined) return floors.slice(-1);
  const isFresh = (floor: PricePoint) =>
    floor.time > newest.time || (floor.time === newest.time && !isSameFloor(floor, newest));
  return floors.filter(isFresh).slice(-MOST_STEPS);
}

function isSameFloor(one: PricePoint, other: PricePoint): boolean {
  return isSameReport(one, other) && isConfirmed(one) === isConfirmed(other);
}

function isConfirmed({ confirmedBy }: PricePoint): boolean {
  return confirmedBy !== undefined;
}

function judgeAll(
  before: Timeline,
  floors: readonly PricePoint[],
  fresh: readonly PricePoint[],
): Judgement {
  let judgement: Judgement = { timeline: before, news: [] };
  for (const floor of floors) {
    const { timeline, news } = judgement;
    if (!fresh.includes(floor)) {
      judgement = { timeline: remember(timeline, floor, floors), news };
      continue;
    }
    const judged = judge(timeline, floor);
    judgement = { timeline: judged.timeline, news: [...news, ...judged.news] };
  }
  return judgement;
}

/** Records a floor that arrives too late for a step. Only rules with a window use such a floor. */
function remember(timeline: Timeline, floor: PricePoint, floors: readonly PricePoint[]): Timeline {
  const { reported, accepted } = timeline;
  const isRecorded = reported.some((point) => isSameReport(point, floor));
  if (isRecorded || reported.at(-1)?.time === floor.time) return timeline;
  const isComparable = ({ currency }: PricePoint) => currency === floor.currency;
  const before = accepted.findLast((point) => isComparable(point) && point.time < floor.time);
  // A newer report replaces the older one of the same time.
  const later = [...floors, ...accepted].toSorted(inTime);
  const after = later.find((point) => isComparable(point) && point.time > floor.time);
  const isGlitch =
    before !== undefined &&
    after !== undefined &&
    areFarApart(floor, before) &&
    isNearer(after, before, floor);
  return {
    ...timeline,
    reported: placed(reported, floor),
    accepted: isGlitch ? accepted : placed(accepted, floor),
  };
}

/** Compares a floor with the last accepted floor before it and with the suspect. */
function judge(timeline: Timeline, floor: PricePoint): Judgement {
  const { accepted } = timeline;
  // A revision of the suspect replaces it, and does not confirm it.
  const suspect = timeline.suspect?.time === floor.time ? undefined : timeline.suspect;
  const last = accepted.findLast(
    ({ time, currency }) => time < floor.time && currency === floor.currency,
  );
  if (last === undefined) return accept({ ...timeline, suspect }, floor);
  const isDecided = suspect?.currency === floor.currency;
  const confirms = isDecided && isNearer(floor, suspect, last);
  if (areFarApart(floor, last) && !confirms && !isConfirmed(floor)) {
    return makeSuspect(timeline, floor);
  }
  if (!isDecided) return accept({ ...timeline, suspect }, floor);
  if (!confirms) return accept({ ...timeline, suspect: undefined }, floor);
  const withSuspect = placed(accepted, suspect);
  const judged = accept({ ...timeline, suspect: undefined, accepted: withSuspect }, floor);
  const held = { points: { floor: suspect }, time: suspect.time };
  return { ...judged, news: [held, ...judged.news] };
}

function accept(timeline: Timeline, floor: PricePoint): Judgement {
  const { reported, accepted } = timeline;
  return {
    timeline: {
      ...timeline,
      reported: placed(reported, floor),
      accepted: placed(accepted, floor),
    },
    news: [{ points: { reported: floor, floor, agreed: agreedPoint(floor) }, time: floor.time }],
  };
}

/**
 * Changes only `reported`. `floor` keeps its value until the next floor confirms or refutes the
 * suspect.
 */
function makeSuspect(timeline: Timeline, floor: PricePoint): Judgement {
  return {
    timeline: { ...timeline, suspect: floor, reported: placed(timeline.reported, floor) },
    news: [{ points: { reported: floor, agreed: agreedPoint(floor) }, time: floor.time }],
  };
}

function agreedPoint(floor: PricePoint): PricePoint {
  return isConfirmed(floor) ? floor : { ...floor, isWithheld: true };
}

/** A sale with the same price and trade is not new, even if its report has another time. */
function newSales({ reading }: Timeline, { asked, answered, sales }: Answer): News | undefined {
  const points: Record<string, Point> = {};
  for (const series of answered) {
    if (series === 'floor') continue;
    const point = sales[series];
    if (point === undefined || point.time > asked) continue;
    if (!isSameSale(point, reading[series])) points[series] = point;
  }
  const times = Object.values(points).map(({ time }) => time);
  return times.length === 0 ? undefined : { points, time: Math.max(...times) };
}

function isSameSale(one: Point, other: Point | undefined): boolean {
  if (one.kind === 'empty' || other?.kind !== 'price') return one.kind === other?.kind;
  const isSamePrice = one.price === other.price && one.currency === other.currency;
  return isSamePrice && one.tradedAt === other.tradedAt;
}

/**
 * Adds the sales of a poll to its last step.
 */
function withSales(news: readonly News[], sales: News | undefined): readonly News[] {
  if (sales === undefined) return news;
  const last = news.at(-1);
  if (last === undefined) return [sales];
  const points = { ...last.points, ...sales.points };
  return [...news.slice(0, -1), { points, time: Math.max(last.time, sales.time) }];
}

/**
 * Accepts a suspect after 25 hours without another floor, at the time of the request.
 */
function releaseSuspect(committed: Commit, answer: Answer): Commit {
  const { timeline } = committed;
  const { suspect, accepted } = timeline;
  const isAnswered = answer.answered.includes('floor');
  const isDue = suspect !== undefined && answer.asked >= suspect.time + LONGEST_SUSPICION;
  if (!isAnswered || !isDue) return committed;
  const released = { ...timeline, suspect: undefined, accepted: placed(accepted, suspect) };
  return append({ ...committed, timeline: released }, answer, {
    points: { floor: suspect },
    time: answer.asked,
  });
}

/** Adds the step that evaluates due timers, at the time of the request. */
function appendForTimers(committed: Commit, answer: Answer): Commit {
  if (committed.timeline.at >= answer.asked) return committed;
  const { timeline, steps } = append(committed, answer, { points: {}, time: answer.asked });
  return { timeline, steps: steps.with(-1, { ...(steps.at(-1) as StepRecord), forTimers: true }) };
}

/**
 * Appends a step at the time of its points, but not before the previous step.
 */
function append({ timeline, steps }: Commit, { asked }: Answer, { points, time }: News): Commit {
  const { reading, answeredAt } = timeline;
  const at = Math.max(timeline.at, time);
  const seq = timeline.seq + 1;
  const step: StepRecord = { seq, at, asked, answeredAt, points: newPoints(points, reading) };
  return {
    timeline: { ...timeline, seq, at, reading: { ...reading, ...points } },
    steps: [...steps, step],
  };
}

function newPoints(points: Reading, reading: Reading): Reading {
  const isNew = ([name, point]: [string, Point | undefined]) => {
    const before = reading[name as SeriesName];
    return point !== undefined && (before === undefined || !isSameValue(point, before));
  };
  return Object.fromEntries(Object.entries(points).filter(isNew));
}

/** Two withheld floors of the same time are equal, because neither has a value. */
function isSameValue(one: Point, other: Point): boolean {
  const [isOneWithheld, isOtherWithheld] = [isWithheld(one), isWithheld(other)];
  if (isOneWithheld && isOtherWithheld) return one.time === other.time;
  return isOneWithheld === isOtherWithheld && isSameReport(one, other);
}

function isWithheld(point: Point): boolean {
  return point.kind === 'price' && point.isWithheld === true;
}

/** Whether the lower price is at most 70% of the higher one. */
function areFarApart(one: PricePoint, other: PricePoint): boolean {
  const [low, high] = ordered(one.price, other.price);
  return low * 10n <= high * 7n;
}

/** Whether a price is closer, by ratio, to `one` than to `other`. */
function isNearer(floor: PricePoint, one: PricePoint, other: PricePoint): boolean {
  const [lowToOne, highToOne] = ordered(floor.price, one.price);
  const [lowToOther, highToOther] = ordered(floor.price, other.price);
  return highToOne * lowToOther < highToOther * lowToOne;
}

function ordered(one: bigint, other: bigint): readonly [bigint, bigint] {
  return one < other ? [one, other] : [other, one];
}

/** Adds a floor, which replaces a floor of the same time. */
function placed(floors: readonly PricePoint[], floor: PricePoint): readonly PricePoint[] {
  return [...floors.filter(({ time }) => time !== floor.time), floor].toSorted(inTime);
}

function inTime(one: PricePoint, other: PricePoint): number {
  return one.time - other.time;
}
