import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { STANDS_AFTER } from '#shared/domain/market/outlier.ts';
import {
  type EmptyPoint,
  lookBackDays,
  type Part,
  type Point,
  type PricePoint,
} from '#shared/domain/market/point.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { Skipped } from '#shared/domain/market/skipped.ts';
import type { Outcome, Refusal } from '#shared/domain/market/upstream.ts';
import { type ContractRecord, type PartRecord, partsOf, wantedOf } from './contract-record.ts';
import { numberPoints } from './number-points.ts';
import { MAX_OBSERVATIONS_OF_AN_ANSWER, newestOf, newFloors, pastFrom } from './past.ts';
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
 * Adds answers to what is known of a contract: what is new in them becomes numbered observations,
 * waiting to be evaluated.
 *
 * The only place where observations come from. A part that is no longer needed is passed over.
 */
export function absorbAnswers(
  record: ContractRecord,
  answers: readonly PartAnswer[],
  now: Instant,
): ContractRecord {
  const poll = record.seq + 1;
  return answers.reduce(
    (known, answer) => withSkipped(absorb(known, answer, poll, now), answer),
    record,
  );
}

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
 * Whether a poll may end without a table call: its answers say nothing new, no window has slid, and
 * nothing on the record is unevaluated, wanted or due.
 */
export function isQuiet(before: ContractRecord, after: ContractRecord, now: Instant): boolean {
  return (
    before.unevaluated.length === 0 &&
    after.seq === before.seq &&
    wantedOf(before).length === 0 &&
    before.past?.wanted === undefined &&
    after.lackedBy === before.lackedBy &&
    !hasWindowExpired(before, after) &&
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

/** Whether a window has slid by the time that an answer is of, though nothing new was reported. */
function hasWindowExpired({ windowExpiries }: ContractRecord, after: ContractRecord): boolean {
  const answeredAt = after.parts.floor?.answeredAt;
  return (
    windowExpiries?.nextAt !== undefined &&
    answeredAt !== undefined &&
    answeredAt >= windowExpiries.nextAt
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
      if (isBehind(verdict.floor, record.parts.floor?.newest?.point)) {
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

function absorb(
  record: ContractRecord,
  given: PartAnswer,
  poll: number,
  now: Instant,
): ContractRecord {
  const known = record.parts[given.part];
  if (known === undefined) return record;
  // The answer of a later request stands: a stale worker must not revise it.
  if (known.answeredAt !== undefined && given.askedAt < known.answeredAt) return record;
  const answer = judged(record, given, now);
  const { outcome } = answer;
  if (outcome.kind === 'ok') {
    const news = pricesOf(outcome.value);
    const kept = newestOf(news, MAX_OBSERVATIONS_OF_AN_ANSWER);
    const isJoined = known.newest !== undefined && kept.length === news.length;
    const [first] = kept;
    const begins = answer.part === 'floor' && first !== undefined && !isJoined;
    // Floors before it may be missing.
    const next = begins ? { ...record, past: pastFrom(record.past, first.time) } : record;
    return accept(next, known, answer, { poll, points: kept });
  }
  if (outcome.kind !== 'empty') return withPart(record, answer.part, refused(known, outcome, now));
  const emptied = emptyPoint(answer, known.newest?.point);
  if (emptied === 'contradiction') {
    const reason = 'a trade is known within the window';
    // It is no answer: a new watch must not start with a value that the answer denies.
    return withPart(record, answer.part, {
      ...reported(withoutFailures(known), 'disputed', reason, now),
      silentSince: known.silentSince ?? now,
      failures: AT_THE_CADENCE,
    });
  }
  return accept(record, known, answer, { poll, points: emptied === undefined ? [] : [emptied] });

  function pricesOf(points: readonly PricePoint[]): readonly PricePoint[] {
    if (lookBackDays(answer.part) !== undefined) {
      return newLowest(answer, points, known?.newest?.point);
    }
    const news = newFloors(points, known?.newest?.point);
    const newest = news.at(-1);
    if (newest === undefined) return reportedAgain(answer, points, known?.newest);
    const { confirmedBy = stillConfirmedBy(known, newest, answer.askedAt) } = answer;
    return confirmedBy === undefined ? news : news.with(-1, { ...newest, confirmedBy });
  }
}

/** Numbers the new points, oldest first, and notes that the part has been answered. */
function accept(
  record: ContractRecord,
  known: PartRecord,
  { part, askedAt, outcome, confirmedBy, isAlone }: Judged,
  { poll, points }: { readonly poll: number; readonly points: readonly Point[] },
): ContractRecord {
  const numbers = { part, poll, after: record.seq };
  const { observations, newest } = numberPoints(numbers, known.newest, points);
  // A later question was refused: it is not known to be over.
  const isSilent = known.silentSince !== undefined && askedAt < known.silentSince;
  const { confirmed: _before, ...unconfirmed } = known;
  const same = isSamePrice(known.newest?.point, newest?.point) ? known : unconfirmed;
  const kept = confirmedBy === undefined ? same : withoutDispute(same);
  const answered: PartRecord = {
    ...(isSilent ? kept : reported(withoutFailures(kept), outcome.kind, undefined, askedAt)),
    ...(confirmedBy === undefined ? {} : { confirmed: { by: confirmedBy, at: askedAt } }),
    answeredAt: later(known.answeredAt, askedAt),
    ...(newest === undefined ? {} : { newest }),
    ...(isAlone && !isSilent && isWaitedFor(record, newest) ? askedAgain(known, askedAt) : {}),
  };
  return withPart(
    {
      ...record,
      seq: record.seq + observations.length,
      unevaluated: [...record.unevaluated, ...observations],
      ...(isSilent ? {} : endOfSilence(record, known, part, askedAt)),
    },
    part,
    answered,
  );
}

/** Whether rules wait for a second source of a floor. */
function isWaitedFor({ thresholdIndexes }: ContractRecord, newest: PartRecord['newest']): boolean {
  const isAlone = newest?.point.kind === 'price' && newest.point.confirmedBy === undefined;
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
 * The end of a silence is no observation, but has to be evaluated: the part stays wanted until an
 * evaluation with the answer has finished.
 */
function endOfSilence(
  { wanted }: ContractRecord,
  { silentSince }: PartRecord,
  part: Part,
  askedAt: Instant,
): Partial<Pick<ContractRecord, 'wanted'>> {
  if (silentSince === undefined) return {};
  return { wanted: { ...wanted, [part]: Math.max(wanted[part] ?? 0, askedAt - 1) } };
}

/**
 * The newest floor once more: another provider has vouched for it meanwhile; or it is an outlier that
 * nothing has confirmed or contradicted for long, so it is no glitch.
 */
function reportedAgain(
  { askedAt, confirmedBy }: Judged,
  points: readonly PricePoint[],
  newest: PartRecord['newest'],
): readonly PricePoint[] {
  if (newest?.point.kind !== 'price') return [];
  const { point, standing } = newest;
  if (confirmedBy !== undefined && point.confirmedBy === undefined) {
    return [{ ...point, confirmedBy }];
  }
  const isReported = points.some(({ time }) => time === point.time);
  const standsLong = standing !== undefined && askedAt >= point.time + STANDS_AFTER;
  return isReported && standsLong ? [point] : [];
}

/**
 * A lowest trade is a new observation when its price or its time differs. Its time is the trade's own if
 * it is later and lower, the instant the old low left its window if that is why the answer
 * changed and it was there by then, else the answer's.
 */
function newLowest(
  { part, askedAt }: Judged,
  [trade]: readonly PricePoint[],
  last: Point | undefined,
): readonly PricePoint[] {
  if (trade === undefined) return [];
  const own = trade.tradedAt ?? askedAt;
  if (last === undefined) return [{ ...trade, time: own }];
  if (last.kind === 'empty') return [{ ...trade, time: own > last.time ? own : askedAt }];
  if (trade.price === last.price && trade.tradedAt === last.tradedAt) return [];
  const left = leftWindowAt(part, last);
  if (trade.price < last.price && own > last.time) return [{ ...trade, time: own }];
  // What came in its place may have been sold later still.
  const held = Math.max(left, trade.tradedAt ?? left);
  if (left <= askedAt && left > last.time) return [{ ...trade, time: held }];
  return [{ ...trade, time: Math.max(askedAt, last.time) }];
}

/** The instant from which on no trade is left; undefined where that is known already. */
function emptyPoint(
  { part, askedAt }: Judged,
  last: Point | undefined,
): EmptyPoint | 'contradiction' | undefined {
  if (lookBackDays(part) === undefined || last?.kind === 'empty') return undefined;
  if (last === undefined) return { kind: 'empty', time: askedAt };
  const left = leftWindowAt(part, last);
  return left > askedAt ? 'contradiction' : { kind: 'empty', time: Math.max(left, last.time) };
}

/** When a trade leaves the window of its part. */
export function leftWindowAt(part: Part, { time, tradedAt = time }: PricePoint): Instant {
  return tradedAt + (lookBackDays(part) ?? 0) * 24 * 60 * MINUTE;
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
  const { retryAt: _retried, ...kept } = reported(known, refusal.kind, reasonOf(refusal), now);
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
  return { ...known, outcome, since, ...(reason === undefined ? {} : { reason }) };
}

function withPart(record: ContractRecord, part: Part, known: PartRecord): ContractRecord {
  return { ...record, parts: { ...record.parts, [part]: known } };
}

function later(left: Instant | undefined, right: Instant): Instant {
  return left === undefined || right > left ? right : left;
}
