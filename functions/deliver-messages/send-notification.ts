import type { Destination } from '#shared/channels/destination.ts';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { type Notification, notificationId } from '#shared/domain/alerting/notification.ts';
import {
  delayedSince,
  endOfHold,
  type InboxEntry,
  inboxSortKey,
  outcomeOfEntry,
  waitsSince,
} from '#shared/domain/channels/alert-record.ts';
import {
  afterRound,
  answeredAfter,
  type ChannelRecord,
  failed,
  finished,
  finishedInPart,
  isAnswered,
  recordedOutcome,
  refused,
  skipped,
  succeeded,
  turnedOff,
} from '#shared/domain/channels/channel-record.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { recentAfter } from '#shared/domain/channels/grouping.ts';
import { nextRound } from '#shared/domain/channels/plan.ts';
import { shownAfter, wakesSomebody } from '#shared/domain/channels/shown-episodes.ts';
import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import { wantTopic } from '#shared/use-cases/want-topic.ts';
import { proofOf, send, withProof } from './ask-destination.ts';
import { GIVEN_UP_AFTER } from './give-up.ts';
import type { ListReader } from './list-reader.ts';
import { completed, notificationOf } from './notification-of.ts';
import type { DeliverMessagesPorts } from './ports.ts';
import { change } from './put-record.ts';
import { receiverOf } from './receiver.ts';
import { settleAll, type Waiting } from './waiting-alerts.ts';

/**
 * An alert is late if it reaches a working channel after more than this time; see the objective in
 * `infra/stack/thresholds.ts`.
 */
const LATE_AFTER = MINUTE;

/** Sends the current notification: one message, or a round of concurrent requests. */
export async function sendNotification(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  pending: readonly Waiting[],
  destination: Destination,
  listBehind: ListReader,
  signal: AbortSignal,
): Promise<ChannelRecord> {
  const { notification: underWay } = record;
  if (underWay === undefined || pending.length === 0) return finished(record);
  const parts = requestsOf(record, destination, pending);
  const prepared = await waitForAll(
    parts.map(async (part) => {
      const news = await notificationOf(ports, underWay, record.shown, destination, part);
      const notification = await completed(ports, record, destination, listBehind, news, signal);
      return { pending: part, notification };
    }),
  );
  const sentAt = ports.now();
  const proof = await proofOf(ports, record, destination, signal);
  const isRefused = proof !== undefined && proof.kind !== 'sent';
  const requests = await waitForAll(
    prepared.map(async (request): Promise<SentRequest> => {
      const { notification } = request;
      const answer = isRefused
        ? proof
        : await send(ports, record, destination, notification, signal);
      return { ...request, answer };
    }),
  );
  const now = ports.now();
  if (requests.some(({ answer }) => answer.kind === 'no_topic') && destination.kind === 'channel') {
    await wantTopic(ports, destination.list);
  }
  // A stale worker may find another notification on the record, to which this answer does not
  // apply.
  const after = (found: ChannelRecord) =>
    found.notification?.id === underWay.id
      ? afterRequests(withProof(found, proof, sentAt), destination, requests, { now, sentAt })
      : found;
  const next =
    (await settledAtOnce(ports, after(record), pending)) ?? (await change(ports, record, after));
  for (const { pending: part, notification, answer } of requests) {
    const reason = 'reason' in answer ? { reason: answer.reason } : {};
    const about = { notification: notificationId(notification), ...sendingOf(record, part, now) };
    ports.report(`message_${answer.kind}`, { ...about, ...reason });
  }
  const entries = pending.map(({ entry }) => entry);
  return next.notification?.id === underWay.id ? await finish(ports, next, entries) : next;
}

/**
 * Writes the outcome of a single alert and the record in one transaction. Returns undefined for
 * several alerts, or if the record has changed; the caller then makes separate writes.
 */
async function settledAtOnce(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  pending: readonly Waiting[],
): Promise<ChannelRecord | undefined> {
  const [{ entry } = {}, ...others] = pending;
  const outcome = record.notification?.outcome;
  const isAll = others.length === 0 && entry?.heldBack === undefined;
  if (entry === undefined || outcome === undefined || !isAll) return undefined;
  try {
    return await ports.settleInInbox(finished(record), entry, outcomeOfEntry(entry, outcome));
  } catch (error) {
    if (error instanceof VersionConflictError) return undefined;
    throw error;
  }
}

/** A request with its alerts and its answer. */
type SentRequest = {
  readonly pending: readonly Waiting[];
  readonly notification: Notification;
  readonly answer: ChatAnswer;
};

/**
 * The alerts, grouped by request. A receiver that allows several parallel requests gets one request
 * for each alert; every other one gets all alerts in one request.
 */
function requestsOf(
  record: ChannelRecord,
  destination: Destination,
  pending: readonly Waiting[],
): readonly (readonly Waiting[])[] {
  if (!receiverOf(destination).inRounds) return [pending];
  const entries = new Set(
    nextRound(
      record,
      pending.map(({ entry }) => entry),
    ),
  );
  return pending.filter(({ entry }) => entries.has(entry)).map((waiting) => [waiting]);
}

/**
 * The record after all answers. Successes are applied before failures, so that the last failure
 * remains.
 */
function afterRequests(
  record: ChannelRecord,
  destination: Destination,
  requests: readonly SentRequest[],
  { now, sentAt }: { readonly now: Instant; readonly sentAt: Instant },
): ChannelRecord {
  const shown = requests.reduce(
    (known, request) => withShown(known, destination, request, now),
    record,
  );
  const firsts = requests.flatMap(({ pending }) => pending.slice(0, 1));
  const lastChance = Math.min(...firsts.map(({ entry }) => waitsSince(entry))) + GIVEN_UP_AFTER;
  const pausedUntil = (answer: ChatAnswer) =>
    afterAnswer(record, answer, now, lastChance).notBefore ?? now;
  const sorted = requests
    .map(({ answer }) => answer)
    .toSorted(
      (one, other) => RANKS[one.kind] - RANKS[other.kind] || pausedUntil(one) - pausedUntil(other),
    );
  // If several answers have the same kind, use the one with the longest pause.
  const answers = [...new Map(sorted.map((answer) => [answer.kind, answer])).values()];
  const answered = answers.reduce(
    (known, answer) => afterAnswer(known, answer, now, lastChance),
    shown,
  );
  const timed = answeredAfter(answered, now - sentAt);
  if (!receiverOf(destination).inRounds) return timed;
  const outcomeBy = (answer: ChatAnswer) =>
    afterAnswer(record, answer, now, lastChance).notification?.outcome;
  const outcomes = requests.flatMap(({ pending, answer }) => {
    const outcome = outcomeBy(answer);
    return outcome === undefined
      ? []
      : pending.map(({ entry }) => [inboxSortKey(entry), outcome] as const);
  });
  // If one answer is "gone", the remaining alerts of the round are rejected, because they share the
  // address.
  const gone = answers.find(({ kind }) => kind === 'gone');
  const refusal = gone && outcomeBy(gone);
  const { entries: all = [] } = record.notification ?? {};
  const rest = refusal === undefined ? [] : all.map((name) => [name, refusal] as const);
  const isTaken = outcomes.length === requests.length;
  const known = Object.fromEntries([...rest, ...outcomes]);
  return afterRound(timed, known, { requests: requests.length, isTaken });
}

/** The order in which answers are applied to the record. */
const RANKS: Readonly<Record<ChatAnswer['kind'], number>> = {
  ...{ skipped: 0, accepted: 1, sent: 2, refused: 3, no_topic: 4, failed: 5, gone: 6 },
};

/**
 * The fields with which a sent notification is reported to operators. After failed attempts the
 * channel is the cause of the delay, so no alert counts as late.
 */
function sendingOf(
  { destinationId, failure }: ChannelRecord,
  pending: readonly Waiting[],
  now: Instant,
) {
  const failures = failure?.count ?? 0;
  const ages = pending.map(({ entry, record }) => now - delayedSince(record, endOfHold(entry)));
  const late = failures === 0 ? ages.filter((age) => age > LATE_AFTER) : [];
  const seconds = Math.max(0, ...ages) / SECOND;
  return { destinationId, alerts: pending.length, late: late.length, seconds, failures };
}

/**
 * Records which message shows the episode. For people, also records the watches of a new message by
 * list, so that later alerts can be grouped.
 */
function withShown(
  record: ChannelRecord,
  destination: Destination,
  { pending: [first], notification, answer }: SentRequest,
  now: Instant,
): ChannelRecord {
  const isTaken = answer.kind === 'sent' || answer.kind === 'accepted';
  const notified = isTaken && receiverOf(destination).isForPeople ? notifiedBy(notification) : [];
  const recentOfLists =
    notified.length === 0 ? record.recentOfLists : recentAfter(record.recentOfLists, notified, now);
  if (notification.kind === 'digest') return { ...record, recentOfLists };
  const shown = shownAfter(record.shown, notification.alert, answer, first?.entry.heldBack);
  return { ...record, recentOfLists, shown };
}

/** The alerts of contracts in a new message; none for an edit. */
function notifiedBy(notification: Notification): readonly Alert[] {
  if (notification.kind === 'digest') return notification.alerts;
  const { alert, shownBy } = notification;
  const isEdit = shownBy !== undefined && !wakesSomebody(alert);
  return alert.contract === null || isEdit || alert.kind === 'test' ? [] : [alert];
}

function afterAnswer(
  record: ChannelRecord,
  answer: ChatAnswer,
  now: Instant,
  lastChance: Instant,
): ChannelRecord {
  switch (answer.kind) {
    case 'accepted':
    case 'sent':
      return succeeded(record, answer.kind, now);
    case 'refused':
      return refused(record, answer.reason, now);
    case 'skipped':
      return skipped(record, answer.reason, now);
    case 'no_topic':
      return failed(record, 'the SNS topic of the watchlist does not exist', now);
    case 'gone':
      return turnedOff(record, answer.reason, now);
    case 'failed': {
      const { reason, retryAfterSeconds: seconds } = answer;
      if (seconds === undefined) return failed(record, reason, now);
      const latest = Math.max(lastChance, now + MINUTE);
      return failed(record, reason, now, Math.min(now + seconds * SECOND, latest));
    }
  }
}

/**
 * Records the outcome of each alert of a notification and removes its inbox entry. The returned
 * record has no notification, or only the entries without an outcome; the next write stores it.
 */
export async function finish(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  entries: readonly InboxEntry[],
): Promise<ChannelRecord> {
  const { notification } = record;
  if (notification === undefined) return record;
  const answered = entries.flatMap((entry) => {
    const outcome = recordedOutcome(notification, inboxSortKey(entry));
    return outcome === undefined ? [] : [{ entry, outcome }];
  });
  if (!isAnswered(notification) || !(await settleAll(ports, answered))) return record;
  return finishedInPart(record);
}
