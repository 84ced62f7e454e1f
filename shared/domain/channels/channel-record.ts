import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { DAY, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { isUrgentName, type Outcome } from './alert-record.ts';
import type { RecentOfLists } from './grouping.ts';
import type { ShownEpisodes } from './shown-episodes.ts';

/** The delivery state of a destination. */
export type ChannelRecord = {
  readonly version: number;
  readonly destinationId: DestinationId;
  /** The creation time. */
  readonly since: Instant;
  /** The configuration for which the rest of the record is valid. */
  readonly configuration: string;
  /** The timer of the channel's worker; set whenever an alert waits. */
  readonly dueAt?: Instant | undefined;
  /** Times of the last messages, urgent ones excluded; at most as many as a minute allows. */
  readonly recent: readonly Instant[];
  /** Times of the last urgent messages; at most as many as a minute allows. */
  readonly recentUrgent?: readonly Instant[] | undefined;
  /** Times of the last messages about each list. Only for channels read by people. */
  readonly recentOfLists?: RecentOfLists | undefined;
  readonly notification?: NotificationUnderWay | undefined;
  /**
   * The earliest time of the next message, after a failure or when the rate limit is reached. It is
   * removed when a notification with all remaining delayed alerts starts.
   */
  readonly notBefore?: Instant | undefined;
  /**
   * The earliest end of a mute that holds alerts of this inbox. The held alerts are checked at this
   * time.
   */
  readonly mutedUntil?: Instant | undefined;
  /** The last failure, if no success followed. */
  readonly failure?: Failure | undefined;
  readonly lastSuccessAt?: Instant | undefined;
  /** When the webhook responded correctly to its challenge. */
  readonly provenAt?: Instant | undefined;
  /** Number of concurrent requests in the next round; starts low. */
  readonly requestsAtOnce?: number | undefined;
  /** Whether the last answer was too slow to share a partition with other channels. */
  readonly isSlow?: boolean | undefined;
  /** Set after the receiver permanently refused further messages. */
  readonly off?: Off | undefined;
  /** Messages that SNS accepted but could not deliver. */
  readonly undelivered?: Undelivered | undefined;
  /** Only for channels that are subscribed to a topic of the list. */
  readonly subscription?: Subscription | undefined;
  /** Only for channels whose messages are edited. */
  readonly shown?: ShownEpisodes | undefined;
};

/**
 * A notification in progress: one message, or a round of requests with one alert each. Retries use
 * the same ids until there is an outcome, which is then stored for each alert.
 */
export type NotificationUnderWay = {
  readonly id: string;
  /** The sort keys of its inbox entries, oldest first. */
  readonly entries: readonly string[];
  readonly outcome?: Outcome | undefined;
  /** Outcomes of a round by entry. The next round repeats entries without an outcome. */
  readonly outcomes?: Readonly<Record<string, Outcome>> | undefined;
};

type Failure = {
  /** Number of consecutive failures. */
  readonly count: number;
  readonly reason: string;
  readonly since: Instant;
  /**
   * Set once alerts are given up, with its time and whether the list's other channels were
   * informed.
   */
  readonly givingUp?: { readonly since: Instant; readonly announced: boolean } | undefined;
};

type Off = {
  readonly reason: string;
  readonly since: Instant;
  /** Whether the list's other channels were informed. */
  readonly announced: boolean;
};

type Undelivered = {
  readonly reason: string;
  readonly since: Instant;
  /** When SNS gave up the last message. */
  readonly lastAt: Instant;
  /** Whether the list's other channels were informed. */
  readonly announced: boolean;
};

/**
 * The subscription of a channel. `confirmed-unprotected`: confirmed by the link in the email, so
 * the unsubscribe link of SNS can end it. `gone`: ended or expired at SNS. `ended`: ended by the
 * reader through our unsubscribe link; SNS is updated later.
 */
export type Subscription = {
  readonly state: 'pending' | 'confirmed' | 'confirmed-unprotected' | 'gone' | 'ended';
  readonly since: Instant;
};

/**
 * Maximum number of messages to people in a rolling minute. The same number of urgent messages is
 * allowed in addition to these.
 */
const PACE = 5;
/**
 * Interval between urgent messages once five were sent in a minute, so that three more fit into it.
 */
const GATHERING = 20 * SECOND;
/** Minimum interval between messages to people: chats allow one a second. */
export const PAUSE = SECOND;
/**
 * An answer after this time counts as slow. Chats and well-behaved receivers need a fraction of
 * this time.
 */
const SLOW_AFTER = 2 * SECOND;
/**
 * Delay after which `wake-work` starts the worker again, in case the first attempt did not
 * complete.
 */
const RETRY_DELAY = 2 * MINUTE;
const LONGEST_PAUSE_MINUTES = 60;
/** Time within which SNS lists a new subscription. */
const LISTED_AFTER = 15 * MINUTE;

export function newChannelRecord(destinationId: DestinationId, now: Instant): ChannelRecord {
  return { version: 0, destinationId, since: now, configuration: '', recent: [] };
}

/**
 * The record for the current configuration, without the state of a former address. Its partition
 * stays the same until the new address has answered: if the partition changed while a worker is
 * running, a second worker could send the same notification.
 */
export function configured(record: ChannelRecord, configuration: string): ChannelRecord {
  if (record.configuration === configuration) return record;
  const { version, destinationId, since, dueAt, recent, recentUrgent, notification, isSlow } =
    record;
  const kept = { version, destinationId, since, dueAt, recent, recentUrgent, notification, isSlow };
  return { ...kept, configuration, mutedUntil: record.mutedUntil };
}

/** If the channel has another address now, its waiting alerts become due immediately. */
export function woken(record: ChannelRecord, configuration: string, now: Instant): ChannelRecord {
  const { dueAt = now } = record;
  const leadsElsewhere = record.configuration !== configuration;
  return leadsElsewhere && dueAt > now ? { ...record, dueAt: now } : record;
}

/**
 * Sets a timer for waiting alerts, unless it is due soon or a retry is scheduled. Another timer,
 * such as the end of a hold, may be hours away.
 */
export function awaited(record: ChannelRecord, now: Instant): ChannelRecord {
  const { dueAt, notBefore } = record;
  const isSeenTo = dueAt !== undefined && (notBefore !== undefined || dueAt <= now + RETRY_DELAY);
  return isSeenTo ? record : { ...record, dueAt: now + RETRY_DELAY };
}

/**
 * The record of a channel that has nothing to send now; `until` is the end of the first hold, if
 * any.
 */
export function idle(record: ChannelRecord, until?: Instant): ChannelRecord {
  const { notification, dueAt, notBefore } = record;
  const rests = notification === undefined && dueAt === until && notBefore === undefined;
  return rests ? record : { ...finished(record), dueAt: until, notBefore: undefined };
}

/**
 * Postpones sending to an instant, unless it is already postponed to a later one. All alerts that
 * are waiting at that time become one message.
 */
export function heldUntil(record: ChannelRecord, instant: Instant): ChannelRecord {
  return sentAgainFrom(record, Math.max(instant, record.notBefore ?? instant));
}

/** Records that a mute holds alerts of the inbox until an instant. */
export function muting(record: ChannelRecord, until: Instant): ChannelRecord {
  const { mutedUntil = until, dueAt = until } = record;
  return { ...record, mutedUntil: Math.min(mutedUntil, until), dueAt: Math.min(dueAt, until) };
}

/**
 * Makes the channel check its held alerts, because a mute was lifted. The record is written even if
 * nothing is held, so that a worker that has read the former mutes gets a version conflict.
 */
export function withMuteLifted(record: ChannelRecord, now: Instant): ChannelRecord {
  const { mutedUntil = now, dueAt = now } = record;
  return { ...record, mutedUntil: Math.min(mutedUntil, now), dueAt: Math.min(dueAt, now) };
}

/**
 * The record after the held alerts were checked; `until` is the earliest end of their remaining
 * mutes.
 */
export function lookedThrough(record: ChannelRecord, until: Instant | undefined): ChannelRecord {
  return { ...record, mutedUntil: until };
}

/** Sets the timer to an instant, or to the end of a pause if that is earlier. */
export function dueAgain(record: ChannelRecord, instant: Instant): ChannelRecord {
  const dueAt = Math.min(instant, record.notBefore ?? instant);
  return record.dueAt === dueAt ? record : { ...record, dueAt };
}

/** Ends the pause after a failure. */
export function triedAgainAt(record: ChannelRecord, now: Instant): ChannelRecord {
  const { notBefore = now } = record;
  return notBefore > now ? sentAgainFrom(record, now) : record;
}

function sentAgainFrom(record: ChannelRecord, instant: Instant): ChannelRecord {
  return { ...record, notBefore: instant, dueAt: instant };
}

/**
 * Starts a notification. Unless the notification covers all delayed alerts (`isAll`), `notBefore`
 * stays set, so that the remaining alerts become one message.
 */
export function begun(
  record: ChannelRecord,
  notification: NotificationUnderWay,
  isAll: boolean,
  now: Instant,
): ChannelRecord {
  const notBefore = isAll ? undefined : record.notBefore;
  return { ...record, notification, notBefore, dueAt: now + RETRY_DELAY };
}

/** The record without its notification, which was completed or given up. */
export function finished(record: ChannelRecord): ChannelRecord {
  return { ...record, notification: undefined };
}

/** Ends a notification, but keeps the entries of a round that lack an outcome. */
export function finishedInPart(record: ChannelRecord): ChannelRecord {
  const { notification } = record;
  const left = notification?.entries.filter(
    (name) => recordedOutcome(notification, name) === undefined,
  );
  return notification === undefined || left === undefined || left.length === 0
    ? finished(record)
    : { ...record, notification: { id: notification.id, entries: left } };
}

/**
 * Whether a notification has an outcome; for a round, whether at least one of its entries has an
 * outcome.
 */
export function isAnswered({ outcome, outcomes }: NotificationUnderWay): boolean {
  return outcome !== undefined || outcomes !== undefined;
}

/** The outcome of an entry of a notification. */
export function recordedOutcome(
  { outcome, outcomes = {} }: NotificationUnderWay,
  entry: string,
): Outcome | undefined {
  return outcome ?? ownMember(outcomes, entry);
}

/** Number of concurrent requests to a program: in the first round, and at most. */
export const ROUND = { first: 4, most: 20 } as const;

/**
 * The record after a round of requests to a program. The next round is twice as large if all were
 * accepted, half as large if an answer was slow, and a single request if one failed.
 */
export function afterRound(
  record: ChannelRecord,
  outcomes: Readonly<Record<string, Outcome>>,
  { requests, isTaken }: { readonly requests: number; readonly isTaken: boolean },
): ChannelRecord {
  const { notification, isSlow, requestsAtOnce: before = ROUND.first } = record;
  const larger = requests < before ? before : Math.min(2 * before, ROUND.most);
  const taken = isSlow ? Math.max(1, Math.floor(before / 2)) : larger;
  const known = { ...record, requestsAtOnce: isTaken ? taken : 1 };
  if (notification === undefined) return known;
  const round = omit(notification, 'outcome');
  return { ...known, notification: { ...round, outcomes: { ...round.outcomes, ...outcomes } } };
}

/** The record of a webhook that responded correctly to its challenge. */
export function proven(record: ChannelRecord, now: Instant): ChannelRecord {
  return { ...record, provenAt: now };
}

/** Records whether an answer was slow. */
export function answeredAfter(record: ChannelRecord, milliseconds: number): ChannelRecord {
  return { ...record, isSlow: milliseconds > SLOW_AFTER };
}

/** The record after a success, which clears the failure. */
export function succeeded(
  record: ChannelRecord,
  state: 'accepted' | 'sent',
  now: Instant,
): ChannelRecord {
  const { recent, recentUrgent = [], notification } = record;
  const isUrgent = notification?.entries.some(isUrgentName) ?? false;
  return {
    ...withOutcome(record, { state, at: now }),
    ...(isUrgent
      ? { recentUrgent: [...recentUrgent, now].slice(-2 * PACE) }
      : { recent: [...recent, now].slice(-PACE) }),
    lastSuccessAt: now,
    failure: undefined,
    off: undefined,
  };
}

/** The record after a skipped notification. This does not affect the state of the channel. */
export function skipped(record: ChannelRecord, reason: string, now: Instant): ChannelRecord {
  return withOutcome(record, { state: 'skipped', at: now, reason });
}

/** The record after a permanent refusal of this notification; others may succeed. */
export function refused(record: ChannelRecord, reason: string, now: Instant): ChannelRecord {
  const failure = { ...failedOnceMore(record, reason, now), count: record.failure?.count ?? 0 };
  return givingUp({ ...withOutcome(record, { state: 'failed', at: now, reason }), failure }, now);
}

/**
 * Records that alerts are given up. The list's other channels are informed once per failure,
 * however long it lasts.
 */
export function givingUp(record: ChannelRecord, now: Instant): ChannelRecord {
  const { failure } = record;
  return failure === undefined || failure.givingUp !== undefined
    ? record
    : { ...record, failure: { ...failure, givingUp: { since: now, announced: false } } };
}

/**
 * The record after a temporary failure. The next attempt follows after an increasing delay, or at
 * the time that the receiver requested.
 */
export function failed(
  record: ChannelRecord,
  reason: string,
  now: Instant,
  retryAt?: Instant,
): ChannelRecord {
  const failure = failedOnceMore(record, reason, now);
  const pauseMinutes = Math.min(2 ** (failure.count - 1), LONGEST_PAUSE_MINUTES);
  // The minimum pause prevents a tight loop.
  const again = Math.max(retryAt ?? now + pauseMinutes * MINUTE, now + PAUSE);
  return { ...heldUntil(record, again), failure };
}

/**
 * Turns the channel off permanently. Clears a failure that another request of the round recorded.
 */
export function turnedOff(record: ChannelRecord, reason: string, now: Instant): ChannelRecord {
  return {
    ...withOutcome(record, { state: 'failed', at: now, reason }),
    off: record.off ?? { reason, since: now, announced: false },
    failure: undefined,
  };
}

/** Turns the channel off after a bounce. A notification in progress is not affected. */
export function undeliverable(record: ChannelRecord, reason: string, now: Instant): ChannelRecord {
  if (record.off !== undefined) return record;
  const { dueAt = now } = record;
  const off = { reason, since: now, announced: false };
  return { ...record, off, failure: undefined, dueAt: Math.min(dueAt, now) };
}

/**
 * The record after SNS could not deliver an accepted message. The channel continues to get
 * messages. The list's other channels are informed once, and again only after a day without such a
 * message.
 */
export function undelivered(record: ChannelRecord, reason: string, now: Instant): ChannelRecord {
  const { undelivered: known, dueAt = now } = record;
  const isNew = known === undefined || now - known.lastAt >= DAY;
  const { since, announced } = isNew ? { since: now, announced: false } : known;
  const isAnnounced = announced || record.off !== undefined;
  return {
    ...record,
    undelivered: { reason, since, lastAt: now, announced: isAnnounced },
    dueAt: isAnnounced ? record.dueAt : Math.min(dueAt, now),
  };
}

/** The undelivered messages of a channel; undefined once SNS has accepted a later message. */
export function undeliveredNow({
  undelivered: known,
  lastSuccessAt = 0,
}: ChannelRecord): Undelivered | undefined {
  return known !== undefined && lastSuccessAt <= known.lastAt ? known : undefined;
}

/**
 * Whether a `channel_off` alert is due: the channel is off, its alerts are given up, or its
 * messages are not delivered.
 */
export function mustAnnounce(record: ChannelRecord): boolean {
  return announcementOf(record)?.announced === false;
}

function announcementOf({ off, failure, undelivered: known }: ChannelRecord) {
  return off ?? failure?.givingUp ?? known;
}

/** Records that the list's other channels were informed by a `channel_off` alert. */
export function withAnnounced(record: ChannelRecord): ChannelRecord {
  const { off, failure } = record;
  if (off !== undefined) return { ...record, off: { ...off, announced: true } };
  if (failure?.givingUp !== undefined) {
    const known = { ...failure.givingUp, announced: true };
    return { ...record, failure: { ...failure, givingUp: known } };
  }
  const { undelivered: known } = record;
  return known === undefined ? record : { ...record, undelivered: { ...known, announced: true } };
}

/**
 * Records the state of the channel's subscription. A recent subscription does not become `gone`,
 * because SNS may not list it yet.
 */
export function subscribed(
  record: ChannelRecord,
  state: Subscription['state'],
  now: Instant,
): ChannelRecord {
  const { subscription } = record;
  if (subscription?.state === state) return record;
  if (state === 'gone' && subscription !== undefined && now - subscription.since < LISTED_AFTER) {
    return record;
  }
  return { ...record, subscription: { state, since: now } };
}

/** Removes the subscription after its topic or channel was deleted, but keeps the state `ended`. */
export function unsubscribed(record: ChannelRecord): ChannelRecord {
  const { subscription } = record;
  if (subscription === undefined || subscription.state === 'ended') return record;
  return { ...record, subscription: undefined };
}

/**
 * The record after the reader unsubscribed. The channel becomes due, so that its waiting alerts are
 * given up.
 */
export function endedByReader(record: ChannelRecord, now: Instant): ChannelRecord {
  if (record.subscription?.state === 'ended') return record;
  const { dueAt = now } = record;
  return { ...record, subscription: { state: 'ended', since: now }, dueAt: Math.min(dueAt, now) };
}

/**
 * When the next message to people is allowed: at most five in a rolling minute, at least a second
 * apart. Urgent messages are counted separately and do not wait for the others; in total, at most
 * ten are sent in a minute.
 */
export function paceOpensAt(
  { recent, recentUrgent = [] }: ChannelRecord,
  isUrgent: boolean,
): Instant {
  const all = [...recent, ...recentUrgent].toSorted((a, b) => a - b);
  const own = isUrgent ? urgentOpensAt(recentUrgent) : (recent.at(-PACE) ?? 0) + MINUTE;
  return Math.max((all.at(-1) ?? 0) + PAUSE, own, (all.at(-2 * PACE) ?? 0) + MINUTE);
}

/**
 * In a market crash urgent alerts arrive one by one. After five messages in a minute the next
 * alerts are therefore gathered, so that the last ones still fit into the minute.
 */
function urgentOpensAt(recentUrgent: readonly Instant[]): Instant {
  const last = recentUrgent.at(-1) ?? 0;
  const together = recentUrgent.filter((one) => one > last - MINUTE).length;
  return together < PACE ? last : last + GATHERING;
}

/** Whether only the rate limit delays the channel, not a failure. */
export function isPaced({ failure, notBefore }: ChannelRecord, now: Instant): boolean {
  return failure === undefined && notBefore !== undefined && notBefore > now;
}

function withOutcome(record: ChannelRecord, outcome: Outcome): ChannelRecord {
  const { notification } = record;
  return notification === undefined
    ? record
    : { ...record, notification: { ...notification, outcome } };
}

function failedOnceMore({ failure }: ChannelRecord, reason: string, now: Instant): Failure {
  const { count = 0, since = now } = failure ?? {};
  return { ...failure, count: count + 1, reason, since };
}
