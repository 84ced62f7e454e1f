import { isDeepStrictEqual } from 'node:util';
import { defined } from '#shared/domain/defined.ts';
import { isDerived } from '#shared/domain/market/derived-key.ts';
import type { NoDerivedPrice } from '#shared/domain/market/derived-price.ts';
import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { EmptyPoint, Point, PricePoint } from '#shared/domain/market/point.ts';
import { type PriceSeriesName, priceSeries } from '#shared/domain/market/price-series.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { Skipped } from '#shared/domain/market/skipped.ts';
import type { Outcome, Refusal } from '#shared/domain/market/upstream.ts';
import { omit } from '#shared/domain/omit.ts';
import { appendPoll, MOST_FLOORS, type PollAnswers } from '#shared/domain/timeline/append-poll.ts';
import { newFloors, pastFrom } from './backfill-state.ts';
import {
  type ContractRecord,
  isAnswerRequested,
  isClockDue,
  newestOf,
  type SeriesRecord,
  seriesIn,
} from './contract-record.ts';
import { compareOpinions, type Opinion, stillConfirmedBy } from './second-opinion.ts';

/** The provider's answer about one price series. */
export type SeriesAnswer = {
  readonly series: PriceSeriesName;
  readonly askedAt: Instant;
  /**
   * Only for derived contracts: when the source that was requested the longest time ago was
   * requested. Timers up to this time take effect.
   */
  readonly heardAt?: Instant;
  /** The points of the answer, in any order. */
  readonly outcome: Outcome<readonly PricePoint[]> | Disputed | NotDerived;
  /** The number of records in the answer that were skipped, by reason. */
  readonly skipped?: Skipped;
  /**
   * The floors from the provider and from a provider of another origin, to be compared using the
   * record.
   */
  readonly opinions?: readonly [Opinion, Opinion];
  /** Set if the floor needed a second opinion, but no provider of another origin confirmed it. */
  readonly isAlone?: true;
};

/** An answer after its two opinions were compared. */
type Judged = Omit<SeriesAnswer, 'opinions'> & {
  /** The other provider that confirmed a floor. */
  readonly confirmedBy?: Provider;
};

/** Two providers contradict each other, so there is no value. */
type Disputed = { readonly kind: 'disputed'; readonly reason: string };

type NotDerived = { readonly kind: 'not_derived'; readonly reason: NoDerivedPrice };

const RETRY_MINUTES = [1, 2, 4, 8] as const;
/**
 * Minimum time between two writes of the record that only count skipped records with known reasons.
 */
const SKIPS_NOTED_EVERY = HOUR;
/**
 * After this number of failures, a price series is no longer retried early. It is polled at the
 * cadence, together with the other series of the contract.
 */
const AT_THE_CADENCE = RETRY_MINUTES.length + 1;
const RETRIED: ReadonlySet<NoValue['kind']> = new Set([
  'disputed',
  'failed',
  'throttled',
  'not_ready',
  'denied',
]);

/**
 * Adds answers to the record of a contract. New values become steps, which wait for their
 * evaluation.
 *
 * No other function creates steps. A price series that is no longer needed is ignored.
 */
export function absorbAnswers(
  record: ContractRecord,
  answers: readonly SeriesAnswer[],
  now: Instant,
): ContractRecord {
  const nothing: Absorbed = { record, asked: 0, latest: {}, isHeardAgain: false };
  const absorbed = answers.reduce((known, answer) => {
    const next = absorb(known, answer, now);
    return { ...next, record: withSkipped(next.record, answer) };
  }, nothing);
  const { asked, floors, latest, isHeardAgain } = absorbed;
  if (asked === 0) return absorbed.record;
  const isDue = isHeardAgain || answers.some((answer) => isRefreshRequested(record, answer, asked));
  const answeredAt = Object.fromEntries(
    seriesIn(absorbed.record).flatMap(([series, known]) =>
      known.answeredAt === undefined ? [] : [[series, known.answeredAt]],
    ),
  );
  const areAccepted = isDerived(record.contract);
  const answered = { asked, answeredAt, latest, areAccepted, ...(floors && { floors }) };
  return { ...absorbed.record, timeline: appendPoll(record.timeline, answered, isDue) };
}

/**
 * Whether an answer without new values must be evaluated. For a derived contract, each of its
 * floors must have been requested again.
 */
function isRefreshRequested(
  record: ContractRecord,
  { series, heardAt }: SeriesAnswer,
  asked: Instant,
): boolean {
  if (heardAt === undefined) return isAnswerRequested(record, asked);
  return heardAt > (record.series[series]?.answeredAt ?? 0) && isAnswerRequested(record, heardAt);
}

/** A record to which answers of one poll were added, and their new values. */
type Absorbed = Omit<PollAnswers, 'answeredAt' | 'areAccepted'> & {
  readonly record: ContractRecord;
  /** Whether a price series was answered after it had failed. */
  readonly isHeardAgain: boolean;
};

/**
 * Counts the skipped records of an answer, unless the same reasons were counted within the last
 * hour.
 */
function withSkipped(record: ContractRecord, { series, askedAt, skipped = {} }: SeriesAnswer) {
  const known = record.series[series];
  const reasons = Object.keys(skipped);
  if (known === undefined || reasons.length === 0) return record;
  const { skipped: { at, records } = { at: 0, records: {} } } = known;
  const isOld = askedAt - at >= SKIPS_NOTED_EVERY;
  if (!isOld && reasons.every((reason) => reason in records)) return record;
  const noted = isOld
    ? { at: askedAt, records: skipped }
    : { at, records: { ...records, ...skipped } };
  return withSeries(record, series, { ...known, skipped: noted });
}

/**
 * Whether a poll may end without a table call: its answers bring nothing new, no step waits for its
 * evaluation, and no timer is due.
 */
export function isQuiet(before: ContractRecord, after: ContractRecord, now: Instant): boolean {
  return (
    before.timeline.steps.length === 0 &&
    after.timeline.seq === before.timeline.seq &&
    after.timeline.late === undefined &&
    isDeepStrictEqual(after.timeline.ahead, before.timeline.ahead) &&
    before.past?.requested === undefined &&
    isDeepStrictEqual(after.past, before.past) &&
    after.unsupportedBy === before.unsupportedBy &&
    !isClockDue(before, now) &&
    seriesIn(before).every(([series, known]) => {
      const next = after.series[series];
      return (
        (known.retryAt === undefined || known.retryAt > now) &&
        next !== undefined &&
        next.outcome === known.outcome &&
        next.reason === known.reason &&
        next.noDataSince === known.noDataSince &&
        next.failures === known.failures &&
        next.timesAlone === known.timesAlone &&
        next.skipped === known.skipped &&
        next.confirmed?.at === known.confirmed?.at
      );
    })
  );
}

/**
 * Compares two opinions against the record that is being written, which may be newer than the
 * record at the time of the request.
 */
function judged(record: ContractRecord, given: SeriesAnswer, now: Instant): Judged {
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

/**
 * Whether an agreed floor is older than the newest known floor and has another price. In this case
 * the agreement does not confirm the newest floor.
 */
function isBehind(floor: PricePoint, newest: Point | undefined): boolean {
  return newest !== undefined && floor.time < newest.time && !isSamePrice(floor, newest);
}

function absorb(before: Absorbed, given: SeriesAnswer, now: Instant): Absorbed {
  const { record } = before;
  const { series } = given;
  const known = record.series[series];
  if (known === undefined) return before;
  // Keep the answer of a later request: a stale worker must not overwrite it.
  if (known.answeredAt !== undefined && given.askedAt < known.answeredAt) return before;
  const answer = judged(record, given, now);
  const { outcome } = answer;
  const newest = newestOf(record, series);
  if (outcome.kind !== 'ok' && outcome.kind !== 'empty') {
    return { ...before, record: withSeries(record, series, refused(known, outcome, now)) };
  }
  const answered = { known, newest, points: outcome.kind === 'ok' ? outcome.value : undefined };
  return priceSeries(series).hasPast
    ? absorbFloors(before, answer, answered)
    : absorbLatest(before, answer, answered, now);
}

/**
 * The known state of a price series, and the prices of an answer; `points` is undefined if the
 * answer has no price.
 */
type Answered = {
  readonly known: SeriesRecord;
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
  // Floors before the first one may be missing.
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
  const { series } = answer;
  if (points !== undefined) {
    const point = newLowest(answer, points, newest);
    const latest = point === undefined ? before.latest : { ...before.latest, [series]: point };
    return accepted({ ...before, latest }, answer, record);
  }
  const emptied = emptyPoint(answer, newest);
  if (emptied !== 'contradiction') {
    const latest = emptied === undefined ? before.latest : { ...before.latest, [series]: emptied };
    return accepted({ ...before, latest }, answer, record);
  }
  const reason = 'it reports no sale, but one that it reported earlier is still within the window';
  // Treat this as a failure: a new watch must not start with a sale that the provider no longer
  // reports.
  const disputed = {
    ...reported(withoutFailures(known), 'disputed', reason, now),
    noDataSince: known.noDataSince ?? now,
    failures: AT_THE_CADENCE,
  };
  return { ...before, record: withSeries(record, series, disputed) };
}

/**
 * New floors of an answer. Without new floors it returns the newest known floor if another provider
 * has just confirmed it.
 */
function floorsIn(
  { askedAt, confirmedBy }: Judged,
  points: readonly PricePoint[],
  known: SeriesRecord,
  newest: Point | undefined,
): readonly PricePoint[] {
  const news = newFloors(points, newest).map((floor) => {
    const by = stillConfirmedBy(known, newest, floor, askedAt);
    return by === undefined ? floor : { ...floor, confirmedBy: by };
  });
  const last = news.at(-1);
  if (last === undefined) {
    const isConfirmed =
      confirmedBy !== undefined && newest?.kind === 'price' && newest.confirmedBy === undefined;
    return isConfirmed ? [{ ...newest, confirmedBy }] : [];
  }
  return confirmedBy === undefined ? news : news.with(-1, { ...last, confirmedBy });
}

/** Records that a price series has been answered. */
function accepted(
  absorbed: Absorbed,
  { series, askedAt, heardAt = askedAt, outcome, confirmedBy, isAlone }: Judged,
  record: ContractRecord,
): Absorbed {
  const known = record.series[series] ?? {};
  const before = newestOf(record, series);
  const newest = series === 'floor' ? (absorbed.floors?.at(-1) ?? before) : before;
  // A later request failed, so this answer does not end the failure.
  const isSilent = known.noDataSince !== undefined && askedAt < known.noDataSince;
  const unconfirmed = omit(known, 'confirmed');
  const same = isSamePrice(before, newest) ? known : unconfirmed;
  const kept = confirmedBy === undefined ? same : withoutDispute(same);
  const answered: SeriesRecord = {
    ...(isSilent ? kept : reported(withoutFailures(kept), outcome.kind, undefined, askedAt)),
    ...(confirmedBy === undefined ? {} : { confirmed: { by: confirmedBy, at: askedAt } }),
    answeredAt: later(known.answeredAt, heardAt),
    ...(isAlone && !isSilent && isWaitedFor(record, newest) ? askedAgain(known, askedAt) : {}),
  };
  return {
    ...absorbed,
    record: withSeries(record, series, answered),
    asked: Math.max(absorbed.asked, askedAt),
    isHeardAgain: absorbed.isHeardAgain || (known.noDataSince !== undefined && !isSilent),
  };
}

/** Whether rules wait for a second source of a floor. */
function isWaitedFor({ thresholdIndexes }: ContractRecord, newest: Point | undefined): boolean {
  const isAlone = newest?.kind === 'price' && newest.confirmedBy === undefined;
  return isAlone && thresholdIndexes.some(({ minSources }) => minSources !== undefined);
}

/**
 * Schedules the next request to a second provider: after 1, 2, 4 and 8 minutes, then at the
 * cadence.
 */
function askedAgain(
  { timesAlone: before = 0 }: SeriesRecord,
  askedAt: Instant,
): Pick<SeriesRecord, 'timesAlone' | 'retryAt'> {
  const timesAlone = Math.min(before + 1, AT_THE_CADENCE);
  const minutes = RETRY_MINUTES[timesAlone - 1];
  return { timesAlone, ...(minutes === undefined ? {} : { retryAt: askedAt + minutes * MINUTE }) };
}

function withoutDispute({ disputedSince: _since, ...known }: SeriesRecord): SeriesRecord {
  return known;
}

function isSamePrice(one: Point | undefined, other: Point | undefined): boolean {
  if (one?.kind !== 'price' || other?.kind !== 'price') return one === other;
  return one.price === other.price && one.currency === other.currency;
}

/**
 * Returns a new point for the lowest trade in an answer if its price or its time has changed.
 *
 * - If a later trade has a lower price, the point has the time of the trade.
 * - If the previous lowest trade has left the window, the point has the time at which it left, or
 *   the time of the new trade if that is later.
 * - Otherwise the point has the time of the request.
 */
function newLowest(
  { series, askedAt }: Judged,
  [trade]: readonly PricePoint[],
  last: Point | undefined,
): PricePoint | undefined {
  if (trade === undefined) return undefined;
  const own = trade.tradedAt ?? askedAt;
  if (last === undefined) return { ...trade, time: own };
  if (last.kind === 'empty') return { ...trade, time: own > last.time ? own : askedAt };
  if (isSamePrice(trade, last) && trade.tradedAt === last.tradedAt) return undefined;
  const left = leftWindowAt(series, last);
  const isLower = trade.currency === last.currency && trade.price < last.price;
  if (isLower && own > last.time) return { ...trade, time: own };
  // The new lowest sale may be later than the moment at which the old one left the window.
  const held = Math.max(left, trade.tradedAt ?? left);
  if (left <= askedAt && left > last.time) return { ...trade, time: held };
  return { ...trade, time: Math.max(askedAt, last.time) };
}

/**
 * A point which states that there has been no sale or offer since its time. Undefined if this is
 * already known; `contradiction` if the last sale is still within the window.
 */
function emptyPoint(
  { series, askedAt }: Judged,
  last: Point | undefined,
): EmptyPoint | 'contradiction' | undefined {
  const { none, lookBackDays } = priceSeries(series);
  if (none === undefined || last?.kind === 'empty') return undefined;
  if (last === undefined || lookBackDays === undefined) return { kind: 'empty', time: askedAt };
  const left = leftWindowAt(series, last);
  return left > askedAt ? 'contradiction' : { kind: 'empty', time: Math.max(left, last.time) };
}

/** The moment at which a trade leaves the window of its price series. */
export function leftWindowAt(
  series: PriceSeriesName,
  { time, tradedAt = time }: PricePoint,
): Instant {
  return tradedAt + (priceSeries(series).lookBackDays ?? 0) * 24 * 60 * MINUTE;
}

/** Clears the failures. Any answer ends them, even one without a price. */
function withoutFailures({
  retryAt: _retried,
  failures: _counted,
  timesAlone: _alone,
  noDataSince: _silent,
  ...known
}: SeriesRecord) {
  return known;
}

type NoValue = Refusal | Disputed | NotDerived;

function refused(known: SeriesRecord, refusal: NoValue, now: Instant): SeriesRecord {
  const kept = omit(reported(known, refusal.kind, reasonOf(refusal), now), 'retryAt');
  const failures = RETRIED.has(refusal.kind)
    ? Math.min((known.failures ?? 0) + 1, AT_THE_CADENCE)
    : AT_THE_CADENCE;
  const minutes = RETRY_MINUTES[failures - 1];
  return {
    ...kept,
    ...(refusal.kind === 'disputed' ? { disputedSince: known.disputedSince ?? now } : {}),
    noDataSince: known.noDataSince ?? now,
    failures,
    ...(minutes === undefined ? {} : { retryAt: now + minutes * MINUTE }),
  };
}

/** The reason for a refusal, shown in the contract's health. */
function reasonOf(refusal: NoValue): string | undefined {
  switch (refusal.kind) {
    case 'disputed':
    case 'not_derived':
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
  { reason: _before, ...known }: SeriesRecord,
  outcome: NonNullable<SeriesRecord['outcome']>,
  reason: string | undefined,
  now: Instant,
): SeriesRecord {
  const since = known.outcome === outcome && _before === reason ? (known.since ?? now) : now;
  return { ...known, outcome, since, ...defined({ reason }) };
}

function withSeries(
  record: ContractRecord,
  series: PriceSeriesName,
  known: SeriesRecord,
): ContractRecord {
  return { ...record, series: { ...record.series, [series]: known } };
}

function later(left: Instant | undefined, right: Instant): Instant {
  return left === undefined || right > left ? right : left;
}
