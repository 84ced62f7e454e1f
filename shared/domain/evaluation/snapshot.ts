import { type Decimal, ONE } from '#shared/domain/market/decimal.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { confirmedOf, recordedPrice } from '#shared/domain/market/outlier.ts';
import {
  type Observation,
  PARTS,
  type Part,
  type Point,
  type PricePoint,
} from '#shared/domain/market/point.ts';
import { isKnownAt, knownAt } from '#shared/domain/metrics/measure.ts';
import { type ClockMetric, clockOf, isClock } from '#shared/domain/metrics/metric.ts';
import type { Series } from '#shared/domain/metrics/prices.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import type { RuleCondition } from '#shared/domain/rules/alert-rule.ts';

/** The data of one part in an evaluation. */
export type PartSnapshot = {
  /** The newest observation of the part, evaluated or not. */
  readonly newest: Observation | undefined;
  /** Observations of the part that no finished evaluation has evaluated, in order. */
  readonly unevaluated: readonly Observation[];
  /** When the last answer for the part was asked for. */
  readonly answeredAt: Instant | undefined;
  /** Since when nothing usable was answered; undefined while it is. */
  readonly silentSince?: Instant | undefined;
  /** Recorded prices as far back as the watches need them. */
  readonly recorded?: readonly PricePoint[];
  /** Since when none of the prices is missing; undefined where none is. */
  readonly since?: Instant | undefined;
};

/** The data of a contract in an evaluation. */
export type Snapshot = {
  readonly parts: Readonly<Partial<Record<Part, PartSnapshot>>>;
  /** The data time up to which finished evaluations have evaluated the window expiries. */
  readonly windowsExpiredUntil?: Instant | undefined;
};

/**
 * What a contract's record says of a part, up to a number. Where something newer has come
 * meanwhile, a new watch waits for the evaluation at that: it must start with the newest.
 */
export function partSnapshot(
  record: ContractRecord,
  part: Part,
  upTo = Number.POSITIVE_INFINITY,
): PartSnapshot {
  const unevaluated = record.unevaluated.filter(
    (observation) => observation.part === part && observation.seq <= upTo,
  );
  const known = record.parts[part];
  const last = unevaluated.at(-1);
  const snapshot = {
    unevaluated,
    answeredAt: known?.answeredAt,
    silentSince: known?.silentSince,
    since: part === 'floor' ? record.past?.since : undefined,
  };
  if (known?.newest === undefined) return { ...snapshot, newest: last };
  if (known.newest.seq > upTo) return { ...snapshot, newest: last, answeredAt: undefined };
  const { seq, poll = seq, point, standing, base } = known.newest;
  const newest = {
    ...{ part, seq, poll, point },
    ...(standing === undefined ? {} : { standing }),
    ...(base === undefined ? {} : { previous: base }),
  };
  return { ...snapshot, newest: last?.seq === seq ? last : newest };
}

/** The snapshot of a rule: all reported floors, or the confirmed ones. The clock takes all. */
export function snapshotFor(
  { takesOutliers, metric }: RuleCondition,
  snapshot: Snapshot,
): Snapshot {
  return takesOutliers || isClock(metric) ? snapshot : steadied(snapshot);
}

/**
 * The snapshot as a rule sees it that waits for outliers to be confirmed: an outlier is no
 * observation, and the price before it stands until another floor comes. If that is nearer to the
 * outlier, the price has moved, and the outlier was one of the past; else it was a glitch, and never
 * held.
 */
export function steadied(snapshot: Snapshot): Snapshot {
  const known = STEADY.get(snapshot) ?? steady(snapshot);
  STEADY.set(snapshot, known);
  return known;
}

/** An evaluation has one snapshot for all of its watches. */
const STEADY = new WeakMap<Snapshot, Snapshot>();

function steady(snapshot: Snapshot): Snapshot {
  const { floor } = snapshot.parts;
  if (floor === undefined) return snapshot;
  const { newest, recorded } = floor;
  const unevaluated = floor.unevaluated
    .filter(({ standing }) => standing === undefined)
    .map((observation) => {
      const { previous: heldBack, stood } = observation;
      if (stood === undefined || heldBack === undefined) return observation;
      return { ...observation, previous: stood, heldBack };
    });
  const stands = newest?.standing && standingFor(newest, newest.standing);
  const past = recorded && { recorded: steadyPast(floor, recorded) };
  const steadyFloor = {
    ...floor,
    newest: unevaluated.at(-1) ?? stands ?? newest,
    unevaluated,
    ...past,
  };
  return { ...snapshot, parts: { ...snapshot.parts, floor: steadyFloor } };
}

/**
 * The price that stands while an outlier is held back. Its number is zero: it belongs to no poll, and
 * a watch that starts with it has not evaluated the outlier.
 */
function standingFor({ part }: Observation, standing: PricePoint): Observation {
  return { part, seq: 0, poll: 0, point: standing };
}

/** What is recorded, without what was a glitch by all that is known, and without what is held back. */
function steadyPast(
  { newest, unevaluated, since }: PartSnapshot,
  recorded: readonly PricePoint[],
): readonly PricePoint[] {
  const last = recorded.at(-1)?.time ?? 0;
  const unrecorded = [...unevaluated, ...(newest ? [newest] : [])].flatMap((observation) => {
    const point = recordedPrice(observation);
    return point !== undefined && point.time > last ? [[point.time, point] as const] : [];
  });
  const reported = [...recorded, ...new Map(unrecorded).values()];
  const series = confirmedOf(withGap(reported, since));
  const heldBack = newest?.standing === undefined ? undefined : newest.point.time;
  return series.filter(({ time }) => time <= last && time !== heldBack);
}

/** Observations of some parts above a number, in the order of their time. */
export function observationsAbove(
  snapshot: Snapshot,
  parts: readonly Part[],
  seq: number,
): readonly Observation[] {
  const above = (observations: readonly Observation[]) =>
    observations.filter((observation) => observation.seq > seq).toSorted(inTime);
  const waiting = above(unevaluatedOf(snapshot, parts));
  return waiting.length > 0 ? waiting : above(newestOf(snapshot, parts));
}

/**
 * The snapshot as observations alone tell it, with what is recorded of the time before them: of the
 * time of the last evaluated one, the record may hold another report.
 */
export function asObserved({ parts, ...snapshot }: Snapshot): Snapshot {
  const observed = PARTS.flatMap((part) => {
    const known = parts[part];
    if (known === undefined) return [];
    const { newest, unevaluated, recorded = [] } = known;
    const [first] = unevaluated;
    const before = first && (first.previous ?? first.point);
    const settled = recorded.filter(({ time }) =>
      before === undefined ? isSettled(time, newest?.previous) : time < before.time,
    );
    return [[part, { ...known, recorded: settled }] as const];
  });
  return { ...snapshot, parts: Object.fromEntries(observed) };
}

/** Observations of some parts that no finished evaluation has evaluated. */
export function unevaluatedOf(snapshot: Snapshot, parts: readonly Part[]): readonly Observation[] {
  return parts.flatMap((part) => snapshot.parts[part]?.unevaluated ?? []);
}

/**
 * The number up to which finished evaluations have evaluated all observations, moved by them or
 * not.
 */
export function evaluatedBefore(snapshot: Snapshot): number {
  return Math.min(...unevaluatedOf(snapshot, PARTS).map(({ seq }) => seq)) - 1;
}

/** At one time, what was accepted first comes first. */
function inTime(a: Observation, b: Observation): number {
  return a.point.time - b.point.time || a.seq - b.seq;
}

/** The newest observation of each of some parts, in the order of their time. */
export function newestOf(snapshot: Snapshot, parts: readonly Part[]): readonly Observation[] {
  return parts.flatMap((part) => snapshot.parts[part]?.newest ?? []).toSorted(inTime);
}

/** All that is known of some parts. */
export function knownOf(snapshot: Snapshot, parts: readonly Part[]): Series {
  return knownWith(snapshot, parts, () => true);
}

/** What is known of some parts with an observation, and with none that comes after it. */
export function knownAsOf(
  snapshot: Snapshot,
  parts: readonly Part[],
  observation: Observation,
  evaluatedSeq = 0,
): Series {
  return knownWith(
    snapshot,
    parts,
    (one) => one.seq <= evaluatedSeq || inTime(one, observation) <= 0,
    observation.point.time,
  );
}

/** An observation at which a watch is evaluated. */
export type Moment = {
  readonly observation: Observation;
  /** Whether it completes its poll: all earlier observations of the poll are evaluated with it. */
  readonly completesPoll: boolean;
  /** The time of the first observation that is evaluated with it; its own without others. */
  readonly from: Instant;
};

/**
 * The observations at which a watch is evaluated, from some in the order of time. Those of one poll
 * count as one observation of the contract: a watch of several parts is evaluated once each part has
 * its new value, never with a new value of one part and an old one of another.
 */
export function pollMoments(observations: readonly Observation[]): readonly Moment[] {
  const polls = new Map(
    [...Map.groupBy(observations, ({ poll }) => poll)].map(([poll, news]) => {
      const parts = Map.groupBy(news, ({ part }) => part);
      return [poll, [...parts.values()].flatMap(([first]) => first ?? [])] as const;
    }),
  );
  return observations.flatMap((observation): Moment[] => {
    const firsts = polls.get(observation.poll) ?? [];
    const [first = observation, complete = observation] = [firsts.at(0), firsts.at(-1)];
    if (inTime(observation, complete) < 0) return [];
    const completesPoll = observation === complete;
    return [
      {
        observation,
        completesPoll,
        from: completesPoll ? first.point.time : observation.point.time,
      },
    ];
  });
}

/** What was known of some parts before a moment: of an outlier that it makes known, nothing. */
export function knownBefore(
  snapshot: Snapshot,
  parts: readonly Part[],
  { observation, completesPoll }: Moment,
  evaluatedSeq = 0,
): Series {
  const { seq, poll, point } = observation;
  const isOfIt = (one: Observation) => one.seq === seq || (completesPoll && one.poll === poll);
  return knownWith(
    withoutOutliersKnownFrom(snapshot, point.time),
    parts,
    (one) => !isOfIt(one) && (one.seq <= evaluatedSeq || inTime(one, observation) < 0),
    point.time,
  );
}

/** The snapshot without outliers that came to be known at an instant, or later. */
function withoutOutliersKnownFrom(snapshot: Snapshot, instant: Instant): Snapshot {
  const { floor } = snapshot.parts;
  if (floor?.recorded === undefined) return snapshot;
  const recorded = floor.recorded.filter(({ knownFrom = 0 }) => knownFrom < instant);
  return { ...snapshot, parts: { ...snapshot.parts, floor: { ...floor, recorded } } };
}

/** What is known of some parts with the observations that count, and with what was only recorded until then. */
function knownWith(
  snapshot: Snapshot,
  parts: readonly Part[],
  counts: (observation: Observation) => boolean,
  until = Number.POSITIVE_INFINITY,
): Series {
  return new Map(
    parts.flatMap((part) => {
      const known = snapshot.parts[part];
      return known === undefined ? [] : [[part, pointsOf(part, known, counts, until)] as const];
    }),
  );
}

/** Whether what held of a part at an instant was never observed, only recorded. */
export function isUnobservedAt(
  snapshot: Snapshot,
  parts: readonly Part[],
  instant: Instant,
): boolean {
  return parts.some((part) => {
    const known = snapshot.parts[part];
    if (known === undefined) return false;
    const last = neverEvaluated(part, known).findLast((point) => isKnownAt(point, instant));
    if (last === undefined) return false;
    return !known.unevaluated.some(({ point }) => isWithin(point.time, last, instant));
  });
}

/** The times of what lies between observations of some parts, and was only recorded. */
export function unobservedTimes(snapshot: Snapshot, parts: readonly Part[]): readonly Instant[] {
  return parts.flatMap((part) => {
    const known = snapshot.parts[part];
    return known === undefined ? [] : neverEvaluated(part, known).map(({ time }) => time);
  });
}

function isWithin(time: Instant, after: PricePoint, until: Instant): boolean {
  return time > after.time && time <= until;
}

/** What held of some parts at an instant, by all that is known. */
export function heldAt(snapshot: Snapshot, parts: readonly Part[], instant: Instant): Series {
  return knownAt(knownOf(snapshot, parts), instant);
}

/** What held of some parts at an instant by observations, as far as they go back. */
export function observedAt(snapshot: Snapshot, parts: readonly Part[], instant: Instant): Series {
  const observed = asObserved(snapshot);
  const { floor } = observed.parts;
  if (floor === undefined) return heldAt(observed, parts, instant);
  // A new report of the time of an observation may have taken its mark.
  const last = floor.newest?.previous?.time;
  const recorded = floor.recorded?.filter(
    ({ time, observedAs }) => observedAs !== undefined || time === last,
  );
  const marked = { ...observed.parts, floor: { ...floor, recorded: recorded ?? [] } };
  const held = heldAt({ parts: marked }, parts, instant);
  return held.get('floor')?.length === 0 ? heldAt(observed, parts, instant) : held;
}

/** The earliest answer of those for some parts; undefined while one has none. */
export function answeredAtOf(snapshot: Snapshot, parts: readonly Part[]): Instant | undefined {
  const instants = parts.map((part) => snapshot.parts[part]?.answeredAt);
  return instants.reduce<Instant | undefined>(
    (earliest, instant) =>
      earliest === undefined || instant === undefined ? undefined : Math.min(earliest, instant),
    Number.POSITIVE_INFINITY,
  );
}

function pointsOf(
  part: Part,
  snapshot: PartSnapshot,
  counts: (observation: Observation) => boolean,
  until: Instant,
): readonly Point[] {
  return withGap(allPointsOf(part, snapshot, counts, until), snapshot.since);
}

/** Points, in the order of time, with a mark on the first since when none is missing. */
function withGap<One extends Point>(
  points: readonly One[],
  since: Instant | undefined,
): readonly One[] {
  const first = since === undefined ? -1 : points.findIndex(({ time }) => time >= since);
  const point = points[first];
  return point?.kind === 'price' ? points.with(first, { ...point, isAfterGap: true }) : points;
}

function allPointsOf(
  part: Part,
  { newest, unevaluated, recorded = [] }: PartSnapshot,
  counts: (observation: Observation) => boolean,
  until: Instant,
): readonly Point[] {
  const [first] = unevaluated;
  if (first === undefined) {
    if (newest === undefined) return recorded;
    const { point, previous } = newest;
    const before = recorded.filter(
      ({ time }) => time < point.time && (part === 'floor' || isSettled(time, previous)),
    );
    return counts(newest) ? [...before, newest.point] : before;
  }
  const { previous } = first;
  // Of the time of what is not evaluated the record may hold the evaluated or the new: it comes below.
  const settled = recorded.filter(
    ({ time }) => time < first.point.time && isSettled(time, previous),
  );
  const isUnrecorded = settled.at(-1)?.time !== previous?.time;
  const before = previous !== undefined && isUnrecorded ? [...settled, previous] : settled;
  const reported = unevaluated.filter(counts).map(({ point }) => point);
  const between = neverEvaluated(part, { unevaluated, recorded }).filter((point) =>
    isKnownAt(point, until),
  );
  if (between.length === 0) return [...before, ...reported];
  return [...before, ...[...reported, ...between].toSorted((a, b) => a.time - b.time)];
}

/** Whether what is recorded of a time was known when an observation came, by the one before it. */
function isSettled(time: Instant, previous: PricePoint | undefined): boolean {
  return previous === undefined || time <= previous.time;
}

/**
 * The recorded floors between observations: an answer had more of them than are evaluated. An answer
 * about sales has one only; recorded sales between observations are of a time at which the part was
 * not watched, when other sales counted.
 */
function neverEvaluated(
  part: Part,
  { unevaluated, recorded = [] }: Pick<PartSnapshot, 'unevaluated' | 'recorded'>,
): readonly PricePoint[] {
  if (part !== 'floor') return [];
  const times = unevaluated.map(({ point }) => point.time);
  const [first = 0, last = 0] = [unevaluated[0]?.previous?.time ?? times[0], times.at(-1)];
  const within = recorded.filter(({ time }) => time > first && time < last);
  const evaluated = new Set(times);
  return within.filter(({ time }) => !evaluated.has(time));
}

/** How long ago a moment was, in minutes; of one that is still to come, none. */
export function minutesSince(moment: Instant, now: Instant): Decimal {
  return (BigInt(Math.max(0, now - moment)) * ONE) / BigInt(MINUTE);
}

/**
 * The moment from which a metric of the clock counts: the time of the newest floor, or since when a
 * part has not been answered; `now` while it is. Undefined where nothing was ever reported.
 */
export function countedFrom(
  metric: ClockMetric,
  known: PartSnapshot | undefined,
  now: Instant,
): Instant | undefined {
  if (clockOf(metric)?.since === 'newest') return known?.newest?.point.time;
  if (known?.silentSince !== undefined) return known.silentSince;
  return known?.answeredAt === undefined ? undefined : now;
}
