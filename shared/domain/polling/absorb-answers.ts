import { isDeepStrictEqual } from 'node:util';
import { defined } from '#shared/domain/defined.ts';
import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { EmptyPoint, Point, PricePoint } from '#shared/domain/market/point.ts';
import { type Part, seriesOf } from '#shared/domain/market/price-series.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { Skipped } from '#shared/domain/market/skipped.ts';
import type { Outcome, Refusal } from '#shared/domain/market/upstream.ts';
import { omit } from '#shared/domain/omit.ts';
import { appendPoll, MOST_FLOORS, type PollAnswers } from '#shared/domain/timeline/append-poll.ts';
import {
  type ContractRecord,
  isAnswerAwaited,
  isClockDue,
  newestOf,
  type PartRecord,
  partsOf,
} from './contract-record.ts';
import { newFloors, pastFrom } from './past.ts';
import { compareOpinions, type Opinion, stillConfirmedBy } from './second-opinion.ts';

/** What the upstream said of one part, and when the question was put. */
export type PartAnswer = {
  readonly part: Part;
  readonly askedAt: Instant;
  /** The points of the answer, in any order. */
  readonly outcome: Outcome<readonly PricePoint[]> | Disputed;
  /** The records of the answer that were left out. */
  readonly skipped?: Skipped;
  /** What the provider and one of another origin say of the floor: the record decides on both. */
  readonly opinions?: readonly [Opinion, Opinion];
  /** Somebody of another origin was to be asked of the floor, and nobody vouched for it. */
  readonly isAlone?: true;
};

/** An answer that the record has decided on. */
type Judged = Omit<PartAnswer, 'opinions'> & {
  /** The other provider that vouched for a floor. */
  readonly confirmedBy?: Provider;
};

/** Two providers contradict each other: there is no value. */
type Disputed = { readonly kind: 'disputed'; readonly reason: string };

const RETRY_MINUTES = [1, 2, 4, 8] as const;
/** The record is not rewritten for the same skip reason more often than this. */
const SKIPS_NOTED_EVERY = HOUR;
/** So many failures that the part is asked again with all others only. */
const AT_THE_CADENCE = RETRY_MINUTES.length + 1;
const RETRIED: ReadonlySet<NoValue['kind']> = new Set([
  'disputed',
  'failed',
  'throttled',
  'not_ready',
  'denied',
]);

/**
 * Adds answers to what is known of a contract: what is new in them becomes steps, which wait for
 * their evaluation.
 *
 * The only place where steps come from. A part that is no longer needed is passed over.
 */
export function absorbAnswers(
  record: ContractRecord,
  answers: readonly PartAnswer[],
  now: Instant,
): ContractRecord {
  const nothing: Absorbed = { record, asked: 0, latest: {}, isHeardAgain: false };
  const absorbed = answers.reduce((known, answer) => {
    const next = absorb(known, answer, now);
    return { ...next, record: withSkipped(next.record, answer) };
  }, nothing);
  const { asked, floors, latest, isHeardAgain } = absorbed;
  if (asked === 0) return absorbed.record;
  const isDue = isHeardAgain || isAnswerAwaited(record, asked);
  const answeredAt = Object.fromEntries(
    partsOf(absorbed.record).flatMap(([part, known]) =>
      known.answeredAt === undefined ? [] : [[part, known.answeredAt]],
    ),
  );
  const answered = { asked, answeredAt, latest, ...(floors && { floors }) };
  return { ...absorbed.record, timeline: appendPoll(record.timeline, answered, isDue) };
}

/** A record with answers of one poll, and what they bring. */
type Absorbed = Omit<PollAnswers, 'answeredAt'> & {
  readonly record: ContractRecord;
  /** Whether a part is answered that was silent. */
  readonly isHeardAgain: boolean;
};

/**
 * Adds the skipped records of an answer, unless the same reasons were added within the last hour.
 */
function withSkipped(record: ContractRecord, { part, askedAt, skipped = {} }: PartAnswer) {
  const known = record.parts[part];
  const reasons = Object.keys(skipped);
  if (known === undefined || reasons.length === 0) return record;
  const { skipped: { at, records } = { at: 0, records: {} } } = known;
  const isOld = askedAt - at >= SKIPS_NOTED_EVERY;
  if (!isOld && reasons.every((reason) => reason in records)) return record;
  const noted = isOld
    ? { at: askedAt, records: skipped }
    : { at, records: { ...records, ...skipped } };
  return withPart(record, part, { ...known, skipped: noted });
}

/**
 * Whether a poll may end without a table call: its answers say nothing new, nothing waits for its
 * evaluation, and no timer is due.
 */
export function isQuiet(before: ContractRecord, after: ContractRecord, now: Instant): boolean {
  return (
    before.timeline.steps.length === 0 &&
    after.timeline.seq === before.timeline.seq &&
    after.timeline.late === undefined &&
    isDeepStrictEqual(after.timeline.ahead, before.timeline.ahead) &&
    before.past?.wanted === undefined &&
    after.lackedBy === before.lackedBy &&
    !isClockDue(before, now) &&
    partsOf(before).every(([part, known]) => {
      const next = after.parts[part];
      return (
        (known.retryAt === undefined || known.retryAt > now) &&
        next !== undefined &&
        next.outcome === known.outcome &&
        next.reason === known.reason &&
        next.silentSince === known.silentSince &&
        next.failures === known.failures &&
        next.timesAlone === known.timesAlone &&
        next.skipped === known.skipped &&
        next.confirmed?.at === known.confirmed?.at
      );
    })
  );
}

/** By the record that is written, not by what was known when the question was put. */
function judged(record: ContractRecord, given: PartAnswer, now: Instant): Judged {
  const { opinions, ...answer } = given;
  if (opinions === undefined) return answer;
  const [first, second] = opinions;
  const verdict = compareOpinions(record, first, second, now);
  switch (verdict.kind) {
    case 'single':
      return { ...answer, isAlone: true };
    case 'disputed':
      return { ...answer, outcome: verdict };
    case 'agreed': {
      if (isBehind(verdict.floor, newestOf(record, 'floor'))) {
        return { ...answer, isAlone: true };
      }
      const confirmed = { ...answer, confirmedBy: second.provider };
      if (verdict.floor === first.floor) return confirmed;
      return { ...confirmed, outcome: { kind: 'ok', value: [verdict.floor] } };
    }
  }
}

/** Whether a floor is of a time before the newest, and another: who confirms it, does not confirm that. */
function isBehind(floor: PricePoint, newest: Point | undefined): boolean {
  return newest !== undefined && floor.time < newest.time && !isSamePrice(floor, newest);
}

function absorb(before: Absorbed, given: PartAnswer, now: Instant): Absorbed {
  const { record } = before;
  const { part } = given;
  const known = record.parts[part];
  if (known === undefined) return before;
  // The answer of a later request stands: a stale worker must not revise it.
  if (known.answeredAt !== undefined && given.askedAt < known.answeredAt) return before;
  const answer = judged(record, given, now);
  const { outcome } = answer;
  const newest = newestOf(record, part);
  if (outcome.kind !== 'ok' && outcome.kind !== 'empty') {
    return { ...before, record: withPart(record, part, refused(known, outcome, now)) };
  }
  const answered = { known, newest, points: outcome.kind === 'ok' ? outcome.value : undefined };
  return seriesOf(part).hasPast
    ? absorbFloors(before, answer, answered)
    : absorbLatest(before, answer, answered, now);
}

/** What is known of a series, and the prices of an answer; undefined for an answer without a price. */
type Answered = {
  readonly known: PartRecord;
  readonly newest: Point | undefined;
  readonly points: readonly PricePoint[] | undefined;
};

function absorbFloors(
  before: Absorbed,
  answer: Judged,
  { known, newest, points = [] }: Answered,
): Absorbed {
  const { record } = before;
  const found = floorsIn(answer, points, known, newest);
  const isJoined = newest !== undefined && found.length <= MOST_FLOORS;
  const [first] = found.slice(-MOST_FLOORS);
  const floors = [...points.filter(({ time }) => time !== newest?.time), ...found];
  // Floors before it may be missing.
  const past = first === undefined || isJoined ? {} : { past: pastFrom(record.past, first.time) };
  return accepted({ ...before, floors }, answer, { ...record, ...past });
}

function absorbLatest(
  before: Absorbed,
  answer: Judged,
  { known, newest, points }: Answered,
  now: Instant,
): Absorbed {
  const { record } = before;
  const { part } = answer;
  if (points !== undefined) {
    const point = newLowest(answer, points, newest);
    const latest = point === undefined ? before.latest : { ...before.latest, [part]: point };
    return accepted({ ...before, latest }, answer, record);
  }
  const emptied = emptyPoint(answer, newest);
  if (emptied !== 'contradiction') {
    const latest = emptied === undefined ? before.latest : { ...before.latest, [part]: emptied };
    return accepted({ ...before, latest }, answer, record);
  }
  const reason = 'a trade is known within the window';
  // It is no answer: a new watch must not start with a value that the answer denies.
  const disputed = {
    ...reported(withoutFailures(known), 'disputed', reason, now),
    silentSince: known.silentSince ?? now,
    failures: AT_THE_CADENCE,
  };
  return { ...before, record: withPart(record, part, disputed) };
}

/** The new floors of an answer, or the newest known one again if another provider confirms it now. */
function floorsIn(
  { askedAt, confirmedBy }: Judged,
  points: readonly PricePoint[],
  known: PartRecord,
  newest: Point | undefined,
): readonly PricePoint[] {
  const news = newFloors(points, newest).map((floor) => {
    const by = stillConfirmedBy(known, newest, floor, askedAt);
    return by === undefined ? floor : { ...floor, confirmedBy: by };
  });
  const last = news.at(-1);
  if (last === undefined) {
    const isVouchedFor =
      confirmedBy !== undefined && newest?.kind === 'price' && newest.confirmedBy === undefined;
    return isVouchedFor ? [{ ...newest, confirmedBy }] : [];
  }
  return confirmedBy === undefined ? news : news.with(-1, { ...last, confirmedBy });
}

/** Notes that a part has been answered. */
function accepted(
  absorbed: Absorbed,
  { part, askedAt, outcome, confirmedBy, isAlone }: Judged,
  record: ContractRecord,
): Absorbed {
  const known = record.parts[part] ?? {};
  const before = newestOf(record, part);
  const newest = part === 'floor' ? (absorbed.floors?.at(-1) ?? before) : before;
  // A later question was refused: it is not known to be over.
  const isSilent = known.silentSince !== undefined && askedAt < known.silentSince;
  const unconfirmed = omit(known, 'confirmed');
  const same = isSamePrice(before, newest) ? known : unconfirmed;
  const kept = confirmedBy === undefined ? same : withoutDispute(same);
  const answered: PartRecord = {
    ...(isSilent ? kept : reported(withoutFailures(kept), outcome.kind, undefined, askedAt)),
    ...(confirmedBy === undefined ? {} : { confirmed: { by: confirmedBy, at: askedAt } }),
    answeredAt: later(known.answeredAt, askedAt),
    ...(isAlone && !isSilent && isWaitedFor(record, newest) ? askedAgain(known, askedAt) : {}),
  };
  return {
    ...absorbed,
    record: withPart(record, part, answered),
    asked: Math.max(absorbed.asked, askedAt),
    isHeardAgain: absorbed.isHeardAgain || (known.silentSince !== undefined && !isSilent),
  };
}

/** Whether rules wait for a second source of a floor. */
function isWaitedFor({ thresholdIndexes }: ContractRecord, newest: Point | undefined): boolean {
  const isAlone = newest?.kind === 'price' && newest.confirmedBy === undefined;
  return isAlone && thresholdIndexes.some(({ minSources }) => minSources !== undefined);
}

/** The second source is asked again soon, then at the cadence. */
function askedAgain(
  { timesAlone: before = 0 }: PartRecord,
  askedAt: Instant,
): Pick<PartRecord, 'timesAlone' | 'retryAt'> {
  const timesAlone = Math.min(before + 1, AT_THE_CADENCE);
  const minutes = RETRY_MINUTES[timesAlone - 1];
  return { timesAlone, ...(minutes === undefined ? {} : { retryAt: askedAt + minutes * MINUTE }) };
}

function withoutDispute({ disputedSince: _since, ...known }: PartRecord): PartRecord {
  return known;
}

function isSamePrice(one: Point | undefined, other: Point | undefined): boolean {
  if (one?.kind !== 'price' || other?.kind !== 'price') return one === other;
  return one.price === other.price && one.currency === other.currency;
}

/**
 * A lowest trade is a new point if its price or its time differs. Its time is the trade's own if
 * it is later and lower, the instant the old low left its window if that is why the answer
 * changed and it was there by then, else the answer's.
 */
function newLowest(
  { part, askedAt }: Judged,
  [trade]: readonly PricePoint[],
  last: Point | undefined,
): PricePoint | undefined {
  if (trade === undefined) return undefined;
  const own = trade.tradedAt ?? askedAt;
  if (last === undefined) return { ...trade, time: own };
  if (last.kind === 'empty') return { ...trade, time: own > last.time ? own : askedAt };
  if (trade.price === last.price && trade.tradedAt === last.tradedAt) return undefined;
  const left = leftWindowAt(part, last);
  if (trade.price < last.price && own > last.time) return { ...trade, time: own };
  // The lowest sale that replaces it may have been sold after the window left the old one.
  const held = Math.max(left, trade.tradedAt ?? left);
  if (left <= askedAt && left > last.time) return { ...trade, time: held };
  return { ...trade, time: Math.max(askedAt, last.time) };
}

/** The instant from which on no sale or offer is left; undefined where that is known already. */
function emptyPoint(
  { part, askedAt }: Judged,
  last: Point | undefined,
): EmptyPoint | 'contradiction' | undefined {
  const { none, lookBackDays } = seriesOf(part);
  if (none === undefined || last?.kind === 'empty') return undefined;
  if (last === undefined || lookBackDays === undefined) return { kind: 'empty', time: askedAt };
  const left = leftWindowAt(part, last);
  return left > askedAt ? 'contradiction' : { kind: 'empty', time: Math.max(left, last.time) };
}

/** When a trade leaves the window of its part. */
export function leftWindowAt(part: Part, { time, tradedAt = time }: PricePoint): Instant {
  return tradedAt + (seriesOf(part).lookBackDays ?? 0) * 24 * 60 * MINUTE;
}

/** An answer, whatever it says, is the end of a row of failures. */
function withoutFailures({
  retryAt: _retried,
  failures: _counted,
  timesAlone: _alone,
  silentSince: _silent,
  ...known
}: PartRecord) {
  return known;
}

type NoValue = Refusal | Disputed;

function refused(known: PartRecord, refusal: NoValue, now: Instant): PartRecord {
  const kept = omit(reported(known, refusal.kind, reasonOf(refusal), now), 'retryAt');
  const failures = RETRIED.has(refusal.kind)
    ? Math.min((known.failures ?? 0) + 1, AT_THE_CADENCE)
    : AT_THE_CADENCE;
  const minutes = RETRY_MINUTES[failures - 1];
  return {
    ...kept,
    ...(refusal.kind === 'disputed' ? { disputedSince: known.disputedSince ?? now } : {}),
    silentSince: known.silentSince ?? now,
    failures,
    ...(minutes === undefined ? {} : { retryAt: now + minutes * MINUTE }),
  };
}

/** The words for a refusal in a contract's health. */
function reasonOf(refusal: NoValue): string | undefined {
  switch (refusal.kind) {
    case 'disputed':
    case 'unsupported':
    case 'denied':
    case 'failed':
      return refusal.reason;
    case 'empty':
    case 'not_ready':
    case 'not_found':
    case 'throttled':
      return undefined;
  }
}

function reported(
  { reason: _before, ...known }: PartRecord,
  outcome: NonNullable<PartRecord['outcome']>,
  reason: string | undefined,
  now: Instant,
): PartRecord {
  const since = known.outcome === outcome && _before === reason ? (known.since ?? now) : now;
  return { ...known, outcome, since, ...defined({ reason }) };
}

function withPart(record: ContractRecord, part: Part, known: PartRecord): ContractRecord {
  return { ...record, parts: { ...record.parts, [part]: known } };
}

function later(left: Instant | undefined, right: Instant): Instant {
  return left === undefined || right > left ? right : left;
}
