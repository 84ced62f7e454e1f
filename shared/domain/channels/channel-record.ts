import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { DAY, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { isUrgentName, type Outcome } from './alert-record.ts';
import type { RecentOfLists } from './grouping.ts';
import type { ShownEpisodes } from './shown-episodes.ts';

/** What is known of a destination: how it does, and what it is about. */
export type ChannelRecord = {
  readonly version: number;
  readonly destinationId: DestinationId;
  /** When it came to be. */
  readonly since: Instant;
  /** Identifies the configuration that the rest of the record is about. */
  readonly configuration: string;
  /** The timer of the channel's actor; set whenever an alert waits. */
  readonly dueAt?: Instant | undefined;
  /** When it got its last messages, as many as one minute may bring, but for urgent ones. */
  readonly recent: readonly Instant[];
  /** When it got its last urgent messages, as many as one minute may bring. */
  readonly recentUrgent?: readonly Instant[] | undefined;
  /** Of a channel for people: when it got its last messages about each list. */
  readonly recentOfLists?: RecentOfLists | undefined;
  readonly notification?: NotificationUnderWay | undefined;
  /**
   * The earliest time of the next message, if the pace of the last minute is used up or a retry is not
   * due. It stays set until the alerts that had to wait are being sent.
   */
  readonly notBefore?: Instant | undefined;
  /** The earliest end of a mute that holds alerts of its inbox; they are looked through then. */
  readonly mutedUntil?: Instant | undefined;
  /** What went wrong last, unless something has succeeded since. */
  readonly failure?: Failure | undefined;
  readonly lastSuccessAt?: Instant | undefined;
  /** When a webhook has proven that it wants alerts. */
  readonly provenAt?: Instant | undefined;
  /** Requests of the next round to a program; a few before the first answer. */
  readonly requestsAtOnce?: number | undefined;
  /** Its last answer took so long that others are not to wait behind it. */
  readonly isSlow?: boolean | undefined;
  /** It said that it takes no more, ever. */
  readonly off?: Off | undefined;
  /** The messages that SNS accepted and could not deliver. */
  readonly undelivered?: Undelivered | undefined;
  /** Of a channel that is subscribed to a topic of its list. */
  readonly subscription?: Subscription | undefined;
  /** Of a channel whose messages are edited. */
  readonly shown?: ShownEpisodes | undefined;
};

/**
 * A notification that is being sent: one message, or a round of requests with an alert each. It is
 * repeated with the same ids until there is an outcome, which its alerts record then.
 */
export type NotificationUnderWay = {
  readonly id: string;
  /** The entries of the inbox that it carries, by their names, oldest first. */
  readonly entries: readonly string[];
  readonly outcome?: Outcome | undefined;
  /** Outcomes of a round by entry; entries without one are sent again. */
  readonly outcomes?: Readonly<Record<string, Outcome>> | undefined;
};

type Failure = {
  /** Tries in a row that are to be repeated. */
  readonly count: number;
  readonly reason: string;
  readonly since: Instant;
  /** Since when alerts are given up, and whether the list's other channels have been informed. */
  readonly givingUp?: { readonly since: Instant; readonly announced: boolean } | undefined;
};

type Off = {
  readonly reason: string;
  readonly since: Instant;
  /** Whether the list's other channels have been informed. */
  readonly announced: boolean;
};

type Undelivered = {
  readonly reason: string;
  readonly since: Instant;
  /** When SNS gave up the last of them. */
  readonly lastAt: Instant;
  /** Whether the list's other channels have been informed. */
  readonly announced: boolean;
};

/**
 * `confirmed-unprotected` was confirmed by the link in the mail, and can be ended by the unsubscribe
 * link; `gone` has ended or lapsed; `ended` was ended by its reader here, and SNS is to follow.
 */
export type Subscription = {
  readonly state: 'pending' | 'confirmed' | 'confirmed-unprotected' | 'gone' | 'ended';
  readonly since: Instant;
};

/** What people get in a rolling minute, and so many more that are urgent. */
const PACE = 5;
/** Between two urgent messages, where a minute has had its five: three of them still fit in. */
const GATHERING = 20 * SECOND;
/** Between two messages to people: chats take one a second. */
export const PAUSE = SECOND;
/** Chats and good receivers answer in a fraction of it. */
const SLOW_AFTER = 2 * SECOND;
/** After this `wake-work` sends an actor again, should its first try come to nothing. */
const PATIENCE = 2 * MINUTE;
const LONGEST_PAUSE_MINUTES = 60;
/** By then SNS lists what is subscribed. */
const LISTED_AFTER = 15 * MINUTE;

export function newChannelRecord(destinationId: DestinationId, now: Instant): ChannelRecord {
  return { version: 0, destinationId, since: now, configuration: '', recent: [] };
}

/**
 * The record of a channel as it is configured now, without what was known of another address. Its
 * lane stays until the new address has answered: a change of lanes under a running worker would
 * let a second one send the same notification.
 */
export function configured(record: ChannelRecord, configuration: string): ChannelRecord {
  if (record.configuration === configuration) return record;
  const { version, destinationId, since, dueAt, recent, recentUrgent, notification, isSlow } =
    record;
  const kept = { version, destinationId, since, dueAt, recent, recentUrgent, notification, isSlow };
  return { ...kept, configuration, mutedUntil: record.mutedUntil };
}

/** What waits for a channel that leads elsewhere by now waits no longer. */
export function woken(record: ChannelRecord, configuration: string, now: Instant): ChannelRecord {
  const { dueAt = now } = record;
  const leadsElsewhere = record.configuration !== configuration;
  return leadsElsewhere && dueAt > now ? { ...record, dueAt: now } : record;
}

/**
 * Something waits for it: `wake-work` is to see to it, unless it does soon, or when the channel is
 * to be tried again. The end of a hold may be hours away.
 */
export function awaited(record: ChannelRecord, now: Instant): ChannelRecord {
  const { dueAt, notBefore } = record;
  const isSeenTo = dueAt !== undefined && (notBefore !== undefined || dueAt <= now + PATIENCE);
  return isSeenTo ? record : { ...record, dueAt: now + PATIENCE };
}

/** Nothing waits for it but what is held until then, and nothing is under way. */
export function idle(record: ChannelRecord, until?: Instant): ChannelRecord {
  const { notification, dueAt, notBefore } = record;
  const rests = notification === undefined && dueAt === until && notBefore === undefined;
  return rests ? record : { ...finished(record), dueAt: until, notBefore: undefined };
}

/**
 * Sends nothing before that instant, or before a later one that is set already. Alerts that wait until
 * then are sent as one message.
 */
export function heldUntil(record: ChannelRecord, instant: Instant): ChannelRecord {
  return sentAgainFrom(record, Math.max(instant, record.notBefore ?? instant));
}

/** A mute holds alerts of its inbox until then. */
export function muting(record: ChannelRecord, until: Instant): ChannelRecord {
  const { mutedUntil = until, dueAt = until } = record;
  return { ...record, mutedUntil: Math.min(mutedUntil, until), dueAt: Math.min(dueAt, until) };
}

/**
 * A mute was lifted: what mutes hold is to be looked through. Even if they hold nothing, the record is
 * written: a worker that has read the mutes before must not hold anything by them.
 */
export function withMuteLifted(record: ChannelRecord, now: Instant): ChannelRecord {
  const { mutedUntil = now, dueAt = now } = record;
  return { ...record, mutedUntil: Math.min(mutedUntil, now), dueAt: Math.min(dueAt, now) };
}

/** The alerts that mutes hold have been looked through; the first of their mutes ends then. */
export function lookedThrough(record: ChannelRecord, until: Instant | undefined): ChannelRecord {
  return { ...record, mutedUntil: until };
}

/** Its actor comes again at an instant, or at the end of what holds it back where that is earlier. */
export function dueAgain(record: ChannelRecord, instant: Instant): ChannelRecord {
  const dueAt = Math.min(instant, record.notBefore ?? instant);
  return record.dueAt === dueAt ? record : { ...record, dueAt };
}

/** Does not wait any longer for a channel that did not take its messages. */
export function triedAgainAt(record: ChannelRecord, now: Instant): ChannelRecord {
  const { notBefore = now } = record;
  return notBefore > now ? sentAgainFrom(record, now) : record;
}

function sentAgainFrom(record: ChannelRecord, instant: Instant): ChannelRecord {
  return { ...record, notBefore: instant, dueAt: instant };
}

/** Begins a notification; where that is not all that had to wait, the rest goes as one, too. */
export function begun(
  record: ChannelRecord,
  notification: NotificationUnderWay,
  isAll: boolean,
  now: Instant,
): ChannelRecord {
  const notBefore = isAll ? undefined : record.notBefore;
  return { ...record, notification, notBefore, dueAt: now + PATIENCE };
}

/** The notification is done with, or given up. */
export function finished(record: ChannelRecord): ChannelRecord {
  return { ...record, notification: undefined };
}

/** Ends the notification, but keeps the entries of a round that have no outcome. */
export function finishedInPart(record: ChannelRecord): ChannelRecord {
  const { notification } = record;
  const left = notification?.entries.filter((name) => outcomeOf(notification, name) === undefined);
  return notification === undefined || left === undefined || left.length === 0
    ? finished(record)
    : { ...record, notification: { id: notification.id, entries: left } };
}

/** Whether a notification has been answered, a round at least in part. */
export function isAnswered({ outcome, outcomes }: NotificationUnderWay): boolean {
  return outcome !== undefined || outcomes !== undefined;
}

/** The outcome of an entry of a notification. */
export function outcomeOf(
  { outcome, outcomes = {} }: NotificationUnderWay,
  entry: string,
): Outcome | undefined {
  return outcome ?? ownMember(outcomes, entry);
}

/** Requests that a program gets at once: at first, and at most. */
export const ROUND = { first: 4, most: 20 } as const;

/**
 * The record after a round of requests to a program. The next round is twice as large if all were
 * taken, half as large if an answer was slow, and a single request if one failed.
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

/** The record of a webhook that has returned its challenge: its owner wants alerts there. */
export function proven(record: ChannelRecord, now: Instant): ChannelRecord {
  return { ...record, provenAt: now };
}

/** Notes how long an answer took. */
export function answeredAfter(record: ChannelRecord, milliseconds: number): ChannelRecord {
  return { ...record, isSlow: milliseconds > SLOW_AFTER };
}

/** The notification was taken: whatever was wrong with the channel is over. */
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

/** The notification was not to be sent, which says nothing of the channel. */
export function skipped(record: ChannelRecord, reason: string, now: Instant): ChannelRecord {
  return withOutcome(record, { state: 'skipped', at: now, reason });
}

/** The notification will never be taken; the next one may. */
export function refused(record: ChannelRecord, reason: string, now: Instant): ChannelRecord {
  const failure = { ...failedOnceMore(record, reason, now), count: record.failure?.count ?? 0 };
  return givingUp({ ...withOutcome(record, { state: 'failed', at: now, reason }), failure }, now);
}

/** The record with alerts given up, which is announced once, however long the channel fails. */
export function givingUp(record: ChannelRecord, now: Instant): ChannelRecord {
  const { failure } = record;
  return failure === undefined || failure.givingUp !== undefined
    ? record
    : { ...record, failure: { ...failure, givingUp: { since: now, announced: false } } };
}

/**
 * The notification was not taken: it is tried again later and later, or when the other side says.
 */
export function failed(
  record: ChannelRecord,
  reason: string,
  now: Instant,
  retryAt?: Instant,
): ChannelRecord {
  const failure = failedOnceMore(record, reason, now);
  const pauseMinutes = Math.min(2 ** (failure.count - 1), LONGEST_PAUSE_MINUTES);
  // Without a pause a destination would be retried in a tight loop.
  const again = Math.max(retryAt ?? now + pauseMinutes * MINUTE, now + PAUSE);
  return { ...heldUntil(record, again), failure };
}

/** The channel wants nothing any more. In a round another request may have been asked to wait. */
export function turnedOff(record: ChannelRecord, reason: string, now: Instant): ChannelRecord {
  return {
    ...withOutcome(record, { state: 'failed', at: now, reason }),
    off: record.off ?? { reason, since: now, announced: false },
    failure: undefined,
  };
}

/**
 * What was taken has come back: the channel gets nothing more. The report answers nothing that is
 * under way.
 */
export function undeliverable(record: ChannelRecord, reason: string, now: Instant): ChannelRecord {
  if (record.off !== undefined) return record;
  const { dueAt = now } = record;
  const off = { reason, since: now, announced: false };
  return { ...record, off, failure: undefined, dueAt: Math.min(dueAt, now) };
}

/**
 * SNS accepted a message and could not deliver it. The channel keeps getting messages. The list's other
 * channels are informed again only after a day without such a message, however many there are.
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

/** The undelivered messages of a channel; undefined once SNS has accepted a later one. */
export function undeliveredNow({
  undelivered: known,
  lastSuccessAt = 0,
}: ChannelRecord): Undelivered | undefined {
  return known !== undefined && lastSuccessAt <= known.lastAt ? known : undefined;
}

/**
 * Whether the `channel_off` alert of a channel that is off, whose alerts are given up, or whose messages
 * are not delivered is still to be made.
 */
export function mustAnnounce(record: ChannelRecord): boolean {
  return announcementOf(record)?.announced === false;
}

function announcementOf({ off, failure, undelivered: known }: ChannelRecord) {
  return off ?? failure?.givingUp ?? known;
}

/** The record after its `channel_off` alert. */
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
 * Notes how the channel's subscription stands. One that has only just been made or confirmed is not
 * taken for gone: SNS may not list it yet.
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

/**
 * Nothing is known of the channel's subscription, which has gone with its topic or its channel. One
 * that its reader has ended stays so.
 */
export function unsubscribed(record: ChannelRecord): ChannelRecord {
  const { subscription } = record;
  if (subscription === undefined || subscription.state === 'ended') return record;
  return { ...record, subscription: undefined };
}

/** The reader wants no emails any more; what waits for them wakes the channel. */
export function endedByReader(record: ChannelRecord, now: Instant): ChannelRecord {
  if (record.subscription?.state === 'ended') return record;
  const { dueAt = now } = record;
  return { ...record, subscription: { state: 'ended', since: now }, dueAt: Math.min(dueAt, now) };
}

/**
 * When the next message may go to people: five in a rolling minute, a second apart. Urgent ones do
 * not take the place of those, nor wait for them: with them a minute has ten.
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
 * In a crash urgent alerts come one by one, so after some messages each gathers a few: the last of
 * them must not find the minute used up.
 */
function urgentOpensAt(recentUrgent: readonly Instant[]): Instant {
  const last = recentUrgent.at(-1) ?? 0;
  const together = recentUrgent.filter((one) => one > last - MINUTE).length;
  return together < PACE ? last : last + GATHERING;
}

/** Whether only the pace holds it back, not a failure. */
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
