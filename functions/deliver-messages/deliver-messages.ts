import { addressOf, batchSizeOf, isForPeople, quietOf } from '#shared/channels/channel.ts';
import { type Destination, destinationOf, webhookOf } from '#shared/channels/destination.ts';
import { type Alert, placeOf, watchOf } from '#shared/domain/alerting/alert.ts';
import {
  type AlertNotification,
  digestId,
  digestOf,
  type Notification,
  notificationId,
} from '#shared/domain/alerting/notification.ts';
import {
  type AlertRecord,
  entryName,
  type HeldEntry,
  type Hold,
  type InboxEntry,
  isPending,
  type Outcome,
  settled,
  waitsSince,
} from '#shared/domain/channels/alert-record.ts';
import {
  channelOffAlert,
  missingContactPointAlert,
} from '#shared/domain/channels/channel-alerts.ts';
import {
  answeredAfter,
  begun,
  type ChannelRecord,
  configured,
  dueAgain,
  failed,
  finished,
  givingUp,
  heldUntil,
  idle,
  isPaced,
  mustAnnounce,
  type NotificationUnderWay,
  newChannelRecord,
  PAUSE,
  paceOpensAt,
  proven,
  refused,
  skipped,
  succeeded,
  turnedOff,
  withAnnounced,
} from '#shared/domain/channels/channel-record.ts';
import { closedBecause } from '#shared/domain/channels/channel-standing.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import {
  allDestinationIdsOf,
  channelOf,
  type DestinationId,
} from '#shared/domain/channels/destination-id.ts';
import { gatheredUntil, isCrowd, recentAfter } from '#shared/domain/channels/grouping.ts';
import {
  type ShownEpisodes,
  shownAfter,
  shownOf,
  wakesSomebody,
} from '#shared/domain/channels/shown-episodes.ts';
import { DAY, formatInstant, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import { channelGroup } from '#shared/domain/messages/groups.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { isOfContactPoints } from '#shared/domain/watchlists/contact-points.ts';
import { quietUntil } from '#shared/domain/watchlists/quiet-hours.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { changeChannel, findChannel } from '#shared/use-cases/change-channel.ts';
import { orUnreadable } from '#shared/use-cases/or-unreadable.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import { wantTopic } from '#shared/use-cases/want-topic.ts';
import { laneOf } from './lane.ts';
import type { DeliverMessagesPorts } from './ports.ts';
import { type ShownNews, shownNews, whySkipped } from './shown-news.ts';

/**
 * Milliseconds; with less time left the rest goes into a message of its own. The longest step reads
 * a thousand alerts, and then waits for an answer.
 */
const TIME_TO_STOP = 15 * SECOND;
/** Milliseconds that a destination may occupy its lane; then the next destination has its turn. */
const TURN = 5 * SECOND;
/** The most alerts of one digest; each is read and marked by itself. */
const DIGEST = 1000;
const AT_ONCE = 25;
/** So many lists of a digest are asked for their time zone. */
const LISTS_READ = 5;
/** Conflicts allowed beyond one per destination: with repeated writes or a stale worker. */
const SPARE_ATTEMPTS = 5;
/** An alert that a channel does not accept is given up after this time. */
const GIVEN_UP_AFTER = DAY;
/** An alert that takes longer to a working channel is late: the objective of `infra/stack/thresholds.ts`. */
const LATE_AFTER = MINUTE;
/** Why alerts fail that wait for a channel which is not there. */
const MISSING = 'the watchlist has no such channel any more';

/**
 * Sends the alerts that wait for a destination, until none waits or the destination must be left
 * alone for a while. A notification is on the destination's record before it is sent, and its
 * outcome is there before its alerts record it: a crash repeats that notification, with the same
 * id, and nothing else.
 */
export async function deliverMessages(
  ports: DeliverMessagesPorts,
  message: ChannelMessage,
  signal: AbortSignal,
): Promise<void> {
  try {
    await deliver(ports, message, signal);
  } catch (error) {
    if (message.lane === undefined || error instanceof UnreadableError) throw error;
    // A failed message would block its lane until SQS repeats it. The destination's timer repeats
    // the work instead.
    ports.report('delivery_failed', { ...message, error });
  }
}

async function deliver(
  ports: DeliverMessagesPorts,
  message: ChannelMessage,
  signal: AbortSignal,
): Promise<void> {
  const { destinationId } = message;
  // Read before the list: if the channel comes back and its record changes, it is not removed.
  const record = await ports.getChannel(destinationId);
  const destination = await destinationOf(ports.getWatchlist, destinationId);
  if (destination === undefined) {
    if (!(await closeInbox(ports, destinationId, record))) await goOn(ports, message);
    return;
  }
  let known: ChannelRecord | undefined = record ?? newChannelRecord(destinationId, ports.now());
  const end = message.lane === undefined ? Number.POSITIVE_INFINITY : ports.now() + TURN;
  while (laneOf(destination, known) === message.lane) {
    known = await takeStep(ports, known, destination, signal);
    if (known === undefined) return;
    if (ports.remainingTime() <= TIME_TO_STOP || ports.now() >= end) break;
  }
  const lane = laneOf(destination, known);
  await goOn(ports, lane === undefined ? { destinationId } : { destinationId, lane });
}

/** Queues the remaining work behind that of others. */
async function goOn(ports: DeliverMessagesPorts, message: ChannelMessage): Promise<void> {
  const deduplication = `${channelGroup(message)} ${message.destinationId} ${ports.now()}`;
  await ports.sendToChannels([{ message, deduplication }]);
}

/**
 * Takes the next step for a destination. Returns the record after it, or undefined if there is
 * nothing to do.
 */
async function takeStep(
  ports: DeliverMessagesPorts,
  known: ChannelRecord,
  destination: Destination,
  signal: AbortSignal,
): Promise<ChannelRecord | undefined> {
  const record =
    destination.kind === 'channel' ? configured(known, addressOf(destination.channel)) : known;
  const { destinationId, notification, notBefore = ports.now() } = record;
  if (mustAnnounce(record)) return await announce(ports, record);
  if (notification?.outcome !== undefined) {
    const entries = await ports.namedInInbox(destinationId, notification.entries);
    const rest = await finish(ports, record, await pendingOf(ports, entries), notification.outcome);
    return rest.notification === undefined
      ? await beginNotification(ports, rest, destination, signal)
      : rest;
  }
  if (notification === undefined)
    return await beginNotification(ports, record, destination, signal);
  if (notBefore > ports.now()) return undefined;
  if (notification.entries.length > mostOf(destination)) {
    // From when the channel was for people, or took more at once: a program gets no digest.
    return await giveUpNotification(ports, record);
  }
  const tooOld = await waitingForADay(ports, record);
  if (tooOld.length > 0) return await giveUp(ports, record, tooOld);
  const entries = await ports.namedInInbox(destinationId, notification.entries);
  return await sendNotification(
    ports,
    record,
    await pendingOf(ports, entries),
    destination,
    remembering(ports, destination),
    signal,
  );
}

/**
 * Writes the next notification to the record and sends it: one alert, or a digest of all that had
 * to wait. An urgent alert waits neither for the pace of lesser alerts nor for their digest.
 */
async function beginNotification(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  destination: Destination,
  signal: AbortSignal,
): Promise<ChannelRecord | undefined> {
  const { destinationId, notBefore = ports.now() } = record;
  const forPeople = isReadByPeople(destination);
  const isHeld = notBefore > ports.now();
  const onlyUrgent = forPeople && isPaced(record, ports.now());
  if (isHeld && !onlyUrgent) return undefined;
  if (await refusedAll(ports, record)) return record;
  const isPiledUp = forPeople && record.notBefore !== undefined && !isHeld;
  const most = mostOf(destination);
  const { entries: next, held } = await ports.nextInInbox(destinationId, most, ports.now());
  const isUrgent = next[0]?.isUrgent === true;
  if (onlyUrgent && !isUrgent) {
    // What was critical has put the timer off.
    await change(ports, record, (found) => dueAgain(found, notBefore));
    return undefined;
  }
  if (next.length === 0) {
    const proven = await proveAtRest(ports, record, destination, signal);
    return proven ?? (await rest(ports, record, held[0]?.held.until));
  }
  if (forPeople) {
    const opensAt = paceOpensAt(record, isUrgent);
    if (opensAt > ports.now() + PAUSE) {
      const waits = isHeld ? dueAgain : heldUntil;
      await change(ports, record, (found) => waits(found, opensAt));
      return undefined;
    }
    await ports.sleepUntil(opensAt, signal);
  }
  const waiting = isPiledUp
    ? next.filter((entry) => entry.isUrgent === isUrgent)
    : forPeople
      ? oneMessageOf(next, held)
      : next;
  const due = await pendingOf(ports, waiting);
  // Alerts posted since are refused in the next step.
  if (unwantedOf(record, due).length > 0) return record;
  const listBehind = remembering(ports, destination);
  const free =
    isUrgent || !forPeople
      ? due
      : await holdBack(ports, record, destination, listBehind, due, heldBeside(waiting, held));
  const pending = isPiledUp ? withoutAcknowledgements(free) : withoutEdits(record, free);
  const entries = pending.map(({ entry }) => entryName(entry)).toSorted();
  const [first, ...others] = pending;
  if (first === undefined) return record;
  const id = others.length === 0 ? first.record.alert.id : digestId(destinationId, entries);
  const notification = { id, entries };
  const isAll = isPiledUp
    ? waiting.length < DIGEST && waiting.length === next.length && pending.length === free.length
    : !isHeld;
  const put = await putUnlessChanged(ports, begun(record, notification, isAll, ports.now()));
  return 'found' in put
    ? put.found
    : await sendNotification(ports, put.written, pending, destination, listBehind, signal);
}

function isAcknowledgement({ record: { alert } }: Waiting): boolean {
  return alert.kind === 'acknowledged';
}

/** An acknowledgement is part of no digest: it goes alone, after the news that wait beside it. */
function withoutAcknowledgements(free: readonly Waiting[]): readonly Waiting[] {
  const news = free.filter((waiting) => !isAcknowledgement(waiting));
  return news.length > 0 ? news : free.slice(0, 1);
}

/**
 * Those of the next entries that are one message: what was held, with what still gathers of the same
 * lists, or an alert, with all of its list where many of that wait.
 */
function oneMessageOf(
  next: readonly InboxEntry[],
  heldStill: readonly HeldEntry[],
): readonly InboxEntry[] {
  const [first] = next;
  if (first === undefined) return [];
  if (first.held !== undefined) {
    const due = next.filter(({ held }) => held !== undefined);
    const lists = new Set(due.filter(isGathered).map(({ alert }) => alert.watchlist));
    const along = heldStill.filter((one) => isGathered(one) && lists.has(one.alert.watchlist));
    return [...due, ...along].slice(0, DIGEST);
  }
  const ofList = next.filter(
    ({ isUrgent, alert }) =>
      isUrgent === first.isUrgent && alert.watchlist === first.alert.watchlist,
  );
  return isCrowd(ofList.map(({ alert }) => alert)) ? ofList : [first];
}

function isGathered({ held }: InboxEntry): boolean {
  return held?.for === 'group';
}

/** What is held still, and no part of a message. */
function heldBeside(
  message: readonly InboxEntry[],
  held: readonly HeldEntry[],
): readonly HeldEntry[] {
  const names = new Set(message.map(entryName));
  return held.filter((entry) => !names.has(entryName(entry)));
}

/**
 * Holds those of the waiting alerts for people that are not sent now. Returns the others, behind those
 * of the same watches that are held still: each watch is told of in its order.
 */
async function holdBack(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  destination: Destination,
  listBehind: ListReader,
  due: readonly Waiting[],
  heldBefore: readonly HeldEntry[],
): Promise<readonly Waiting[]> {
  const sent: Waiting[] = [];
  const before = Map.groupBy(heldBefore, ({ alert }) => watchOf(alert));
  for (const waiting of due) {
    const { alert } = waiting.entry;
    const isSame = (entry: InboxEntry) => placeOf(entry.alert) === placeOf(alert);
    const known = before.get(watchOf(alert)) ?? [];
    // One that is posted again while it is held stands in two places.
    for (const entry of known.filter(isSame)) await ports.removeFromInbox(entry);
    const ofWatch = known.filter((entry) => !isSame(entry));
    const held =
      (await holdOf(ports, record, destination, listBehind, waiting)) ??
      // What was to wake somebody comes first, so its end is not written into an older message.
      (isEdit(record, waiting) ? ofWatch.at(-1)?.held : undefined);
    if (held === undefined) {
      sent.push(...(await pendingOf(ports, ofWatch)), waiting);
      before.delete(watchOf(alert));
      continue;
    }
    // It has its new place before it leaves the old one: if it is found in both, one finds it settled.
    const heldNow = { ...waiting.entry, held };
    await ports.putInInbox(heldNow);
    await ports.removeFromInbox(waiting.entry);
    before.set(watchOf(alert), [...ofWatch, heldNow]);
  }
  return sent;
}

/**
 * One edit, or all that are messages of their own: what is written into a message is in no digest,
 * unless that tells of its watch anyway, and would be out of order without it.
 */
function withoutEdits(record: ChannelRecord, free: readonly Waiting[]): readonly Waiting[] {
  const watchIn = ({ entry }: Waiting) => watchOf(entry.alert);
  const told = new Set(free.filter((waiting) => !isEdit(record, waiting)).map(watchIn));
  const messages = free.filter(
    (waiting) => told.has(watchIn(waiting)) && !isAcknowledgement(waiting),
  );
  return messages.length > 0 ? messages : free.slice(0, 1);
}

/**
 * Whether an alert is written into a message that is there, and wakes nobody; an acknowledgement is
 * nothing else.
 */
function isEdit({ shown }: ChannelRecord, waiting: Waiting): boolean {
  const { alert } = waiting.record;
  const isShown = isAcknowledgement(waiting) || shownOf(shown, alert) !== undefined;
  return isShown && !wakesSomebody(alert);
}

/** Whether an alert for people is held: for quiet hours of the channel or its list, or with others of it. */
async function holdOf(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  destination: Destination,
  listBehind: ListReader,
  waiting: Waiting,
): Promise<Hold | undefined> {
  const { entry, record: posted } = waiting;
  const { alert, postedAt } = posted;
  if (alert.kind === 'test' || isEdit(record, waiting)) return undefined;
  const now = ports.now();
  if (destination.kind === 'channel') {
    const list = await listBehind(alert);
    const quiet = [...(quietOf(destination.channel) ?? []), ...(list?.quiet ?? [])];
    const { severity } = alert;
    const until = quietUntil(quiet, { severity, timeZone: list?.timeZone }, postedAt, now);
    if (until !== undefined) return { for: 'quiet', until };
  }
  if (entry.held !== undefined || alert.contract === null) return undefined;
  const until = gatheredUntil(record.recentOfLists, alert.watchlist, postedAt, now);
  return until === undefined ? undefined : { for: 'group', until };
}

/**
 * Alerts the list's other channels and the operators that a channel does not accept its alerts.
 */
async function announce(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
): Promise<ChannelRecord> {
  const { destinationId } = record;
  const channel = channelOf(destinationId);
  const list = channel && (await ports.getWatchlist(channel.list));
  const alert = channel && channelOffAlert(channel, record);
  if (alert !== undefined && list !== undefined) {
    const others = allDestinationIdsOf(list, ports).filter((other) => other !== destinationId);
    await postAlerts(ports, [alert], others);
  }
  return await change(ports, record, withAnnounced);
}

/**
 * Settles the alerts that wait for a closed channel as failed, apart from a test of one that is
 * off. Returns whether there were any.
 */
async function refusedAll(ports: DeliverMessagesPorts, record: ChannelRecord): Promise<boolean> {
  const reason = closedBecause(record);
  if (reason === undefined) return false;
  const { entries } = await ports.nextInInbox(record.destinationId, DIGEST, ports.now());
  const waiting = await pendingOf(ports, entries);
  const unwanted = unwantedOf(record, waiting);
  await settleAll(ports, unwanted, { state: 'failed', at: ports.now(), reason });
  if (unwanted.length === 0) return false;
  ports.report('alerts_given_up', {
    destinationId: record.destinationId,
    alerts: unwanted.length,
    reason,
  });
  return true;
}

/** The waiting alerts that a closed channel does not get: all but a test of one that is off. */
function unwantedOf(record: ChannelRecord, waiting: readonly Waiting[]): readonly Waiting[] {
  if (closedBecause(record) === undefined) return [];
  return waiting.filter(
    ({ record: { alert } }) => record.off === undefined || alert.kind !== 'test',
  );
}

function isReadByPeople(destination: Destination): boolean {
  return destination.kind !== 'channel' || isForPeople(destination.channel);
}

/** The most alerts of one message. */
function mostOf(destination: Destination): number {
  return destination.kind === 'channel' && !isForPeople(destination.channel)
    ? batchSizeOf(destination.channel)
    : DIGEST;
}

type Waiting = { readonly entry: InboxEntry; readonly record: AlertRecord };

/**
 * The waiting alerts that are pending for the destination, each once: one that was being held when its
 * worker died may stand in two places. Entries of settled, missing or unreadable alerts leave the
 * inbox.
 */
async function pendingOf(
  ports: DeliverMessagesPorts,
  entries: readonly InboxEntry[],
): Promise<readonly Waiting[]> {
  const pending: Waiting[] = [];
  const first = new Map(
    entries.map((entry) => [placeOf(entry.alert), entry] as const).toReversed(),
  );
  for (let start = 0; start < entries.length; start += AT_ONCE) {
    const found = await waitForAll(
      entries.slice(start, start + AT_ONCE).map(async (entry) => {
        const isFirst = first.get(placeOf(entry.alert)) === entry;
        const record = isFirst ? await findAlert(ports, entry) : undefined;
        if (record !== undefined && isPending(record, entry.destinationId))
          return [{ entry, record }];
        await ports.removeFromInbox(entry);
        return [];
      }),
    );
    pending.push(...found.flat());
  }
  return pending;
}

/** The alert of an entry. An unreadable alert is reported, and holds up no other. */
async function findAlert(
  ports: DeliverMessagesPorts,
  { destinationId, alert }: InboxEntry,
): Promise<AlertRecord | undefined> {
  try {
    return await ports.getAlert(alert);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    ports.report('alert_unreadable', { destinationId, alert: alert.id, error });
    return undefined;
  }
}

/** The alerts that a failing channel has not accepted for a day. */
async function waitingForADay(
  ports: DeliverMessagesPorts,
  { destinationId, failure }: ChannelRecord,
): Promise<readonly Waiting[]> {
  if (failure === undefined) return [];
  const dayAgo = ports.now() - GIVEN_UP_AFTER;
  const old = await ports.oldestInInbox(destinationId, DIGEST, formatInstant(dayAgo));
  return (await pendingOf(ports, old)).filter(
    ({ entry, record }) => waitsSince(entry, record) < dayAgo,
  );
}

/**
 * Gives up alerts. The record states it first, and the next call settles the alerts. The rest of
 * their notification goes with the next one.
 */
async function giveUp(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  waiting: readonly Waiting[],
): Promise<ChannelRecord> {
  const now = ports.now();
  const { failure } = record;
  if (failure?.givingUp === undefined) {
    return await change(ports, record, (found) => givingUp(found, now));
  }
  const { reason } = failure;
  await settleAll(ports, waiting, { state: 'failed', at: now, reason });
  ports.report('alerts_given_up', {
    destinationId: record.destinationId,
    alerts: waiting.length,
    reason,
  });
  return await giveUpNotification(ports, record);
}

/** Ends the notification under way, unless another worker has begun another one meanwhile. */
async function giveUpNotification(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
): Promise<ChannelRecord> {
  return await change(ports, record, (found) =>
    found.notification?.id === record.notification?.id ? finished(found) : found,
  );
}

async function sendNotification(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  pending: readonly Waiting[],
  destination: Destination,
  listBehind: ListReader,
  signal: AbortSignal,
): Promise<ChannelRecord> {
  const { notification: underWay } = record;
  const [first] = pending;
  if (underWay === undefined || first === undefined) return finished(record);
  const notification = await completed(
    ports,
    record,
    destination,
    listBehind,
    await notificationOf(ports, underWay, record.shown, destination, pending),
    signal,
  );
  const sentAt = ports.now();
  const proof = await proofOf(ports, record, destination, signal);
  const isRefused = proof !== undefined && proof.kind !== 'sent';
  const answer = isRefused ? proof : await send(ports, record, destination, notification, signal);
  const took = ports.now() - sentAt;
  if (answer.kind === 'no_topic' && destination.kind === 'channel') {
    await wantTopic(ports, destination.list);
  }
  const lastChance = waitsSince(first.entry, first.record) + GIVEN_UP_AFTER;
  // A stale worker may find another notification under way, to which this answer does not apply.
  const next = await change(ports, record, (found) =>
    found.notification?.id === underWay.id
      ? answeredAfter(
          afterAnswer(
            withShown(
              withProof(found, proof, sentAt),
              destination,
              notification,
              answer,
              ports.now(),
            ),
            ...([answer, ports.now(), lastChance] as const),
          ),
          took,
        )
      : found,
  );
  const reason = 'reason' in answer ? { reason: answer.reason } : {};
  const about = {
    notification: notificationId(notification),
    ...sendingOf(record, pending, ports.now()),
  };
  ports.report(`message_${answer.kind}`, { ...about, ...reason });
  const outcome = next.notification?.id === underWay.id ? next.notification.outcome : undefined;
  return outcome === undefined ? next : await finish(ports, next, pending, outcome);
}

/**
 * The operators' report of a sent notification. After failed attempts the delay is the channel's
 * own, and does not make an alert late.
 */
function sendingOf(
  { destinationId, failure }: ChannelRecord,
  pending: readonly Waiting[],
  now: Instant,
) {
  const failures = failure?.count ?? 0;
  const ages = pending.map((waiting) => now - madeAt(waiting));
  const late = failures === 0 ? ages.filter((age) => age > LATE_AFTER) : [];
  const seconds = Math.max(0, ...ages) / SECOND;
  return { destinationId, alerts: pending.length, late: late.length, seconds, failures };
}

/**
 * The instant from which an alert's delay counts. The end of a rule counts from its posting: a mute
 * may have held it back; what was held at the channel counts from the end of that.
 */
function madeAt({ entry, record }: Waiting): Instant {
  const { alert, postedAt } = record;
  if (entry.held !== undefined) return waitsSince(entry, record);
  return alert.kind === 'expired' ? postedAt : Date.parse(alert.at);
}

/**
 * A notification with what its lists say: their time zone, the size of the one that a digest is of;
 * and one of an alert with the addresses that are of it alone. Where a message for people has failed
 * it is sent again without its chart: a service may have waited for the picture.
 */
async function completed(
  ports: DeliverMessagesPorts,
  { failure }: ChannelRecord,
  destination: Destination,
  listBehind: ListReader,
  { notification, pictured }: ShownNews,
  signal: AbortSignal,
): Promise<Notification> {
  if (notification.kind === 'digest') {
    const lists = await waitForAll(notification.watchlists.slice(-LISTS_READ).map(listBehind));
    const { timeZone } = lists.findLast((list) => list?.timeZone !== undefined) ?? {};
    const [only] = notification.watchlists.length === 1 ? lists : [];
    const of = only && { name: only.name, contracts: only.members.length };
    const withAddresses = (alert: AlertNotification) =>
      withLinks(ports, destination, listBehind, { notification: alert }, signal);
    const singly =
      notification.singly && (await waitForAll(notification.singly.map(withAddresses)));
    return { ...notification, timeZone, of, singly };
  }
  const news = { notification, pictured };
  const complete = await withLinks(ports, destination, listBehind, news, signal);
  const isWithoutChart = failure !== undefined && isReadByPeople(destination);
  return isWithoutChart ? { ...complete, chart: undefined } : complete;
}

async function withLinks(
  ports: DeliverMessagesPorts,
  destination: Destination,
  listBehind: ListReader,
  { notification, pictured }: { notification: AlertNotification; pictured?: Alert | undefined },
  signal: AbortSignal,
): Promise<AlertNotification> {
  const { alert } = notification;
  const { rules = [], timeZone } = (await listBehind(alert)) ?? {};
  const rule = rules.find(({ id }) => id === alert.rule);
  const channel = destination.kind === 'channel' ? destination.channel.id : undefined;
  const links = await ports.messageLinks(alert, { rule, channel, pictured }, signal);
  return { ...notification, timeZone, ...links };
}

/** The list that an alert is of; none for operators, who get those of all tenants. */
type ListReader = (alert: Pick<Alert, 'watchlist'>) => Promise<Watchlist | undefined>;

/** Reads each list once. */
function remembering({ getWatchlist }: DeliverMessagesPorts, destination: Destination): ListReader {
  if (destination.kind !== 'channel') return () => Promise.resolve(undefined);
  const { list } = destination;
  const known = new Map([[list.id, Promise.resolve<Watchlist | undefined>(list)]]);
  return ({ watchlist: id }) => {
    const read = () => getWatchlist({ tenant: list.tenant, id });
    const found =
      known.get(id) ?? orUnreadable({ kind: 'watchlist', id }, read).then((answer) => answer.found);
    known.set(id, found);
    return found;
  };
}

/** One alert as the channel shows its episode, or many: a digest, or a batch for a program. */
async function notificationOf(
  ports: DeliverMessagesPorts,
  { id }: NotificationUnderWay,
  shown: ShownEpisodes | undefined,
  destination: Destination,
  all: readonly Waiting[],
): Promise<ShownNews> {
  const alerts = all
    .map(({ record }) => record.alert)
    .toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  const [first, ...others] = alerts;
  if (first !== undefined && others.length === 0) return await shownNews(ports, shown, first);
  const isQuiet = all.some(({ entry }) => entry.held?.for === 'quiet');
  const digest = digestOf(id, alerts, isQuiet ? 'quiet' : undefined);
  if (isReadByPeople(destination)) return { notification: digest };
  const singly = alerts.map((alert): AlertNotification => ({ kind: 'alert', alert }));
  return { notification: { ...digest, singly } };
}

/**
 * The answer of a webhook to its challenge; undefined if no proof is needed. A webhook gets no
 * alert before it has proven that it wants them: a tenant must not direct alerts at a stranger's
 * server.
 */
async function proofOf(
  ports: DeliverMessagesPorts,
  { destinationId, provenAt }: ChannelRecord,
  destination: Destination,
  signal: AbortSignal,
): Promise<ChatAnswer | undefined> {
  const webhook = webhookOf(destination);
  if (webhook === undefined || provenAt !== undefined) return undefined;
  const answer = await answerTo(() => ports.prove(webhook, signal), signal);
  ports.report('webhook_challenged', { destinationId, ...answer });
  return answer;
}

/**
 * Challenges a new webhook before any alert waits, once, while its owner is still at work on it.
 */
async function proveAtRest(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  destination: Destination,
  signal: AbortSignal,
): Promise<ChannelRecord | undefined> {
  if (record.failure !== undefined || record.off !== undefined) return undefined;
  const sentAt = ports.now();
  const answer = await proofOf(ports, record, destination, signal);
  if (answer === undefined) return undefined;
  const now = ports.now();
  const next = (found: ChannelRecord) => {
    if (answer.kind === 'sent') return withProof(found, answer, now);
    if (answer.kind === 'gone') return turnedOff(found, answer.reason, now);
    return failed(found, 'reason' in answer ? answer.reason : answer.kind, now);
  };
  return await change(ports, record, (found) => answeredAfter(next(found), now - sentAt));
}

function withProof(
  record: ChannelRecord,
  proof: ChatAnswer | undefined,
  now: Instant,
): ChannelRecord {
  return proof?.kind === 'sent' ? proven(record, now) : record;
}

/** Notes by which messages an alert is shown, and of people about which lists they got one. */
function withShown(
  record: ChannelRecord,
  destination: Destination,
  notification: Notification,
  answer: ChatAnswer,
  now: Instant,
): ChannelRecord {
  const isTaken = answer.kind === 'sent' || answer.kind === 'accepted';
  const told = isTaken && isReadByPeople(destination) ? toldOf(notification) : [];
  const recentOfLists =
    told.length === 0 ? record.recentOfLists : recentAfter(record.recentOfLists, told, now);
  if (notification.kind === 'digest') return { ...record, recentOfLists };
  const shown = shownAfter(record.shown, notification.alert, answer);
  return { ...record, recentOfLists, shown };
}

/** The alerts of contracts that a message tells of; none where it is written into one that is there. */
function toldOf(notification: Notification): readonly Alert[] {
  if (notification.kind === 'digest') return notification.alerts;
  const { alert, shownBy } = notification;
  const isEdit = shownBy !== undefined && !wakesSomebody(alert);
  return alert.contract === null || isEdit || alert.kind === 'test' ? [] : [alert];
}

async function send(
  ports: DeliverMessagesPorts,
  { subscription }: ChannelRecord,
  destination: Destination,
  notification: Notification,
  signal: AbortSignal,
): Promise<ChatAnswer> {
  const reason = whySkipped(destination, notification);
  if (reason !== undefined) return { kind: 'skipped', reason };
  return await answerTo(() => ports.send(destination, notification, signal, subscription), signal);
}

/** The answer to a request. An error that prevents it, as a missing secret, counts as failed. */
async function answerTo(post: () => Promise<ChatAnswer>, signal: AbortSignal): Promise<ChatAnswer> {
  try {
    return await post();
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'failed', reason: error instanceof Error ? error.name : 'unknown' };
  }
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
      return failed(record, 'its topic is gone', now);
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
 * Records the outcome on each alert of a notification and removes its inbox entry. The returned
 * record has no notification under way; the next write of the record stores that.
 */
async function finish(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  pending: readonly Waiting[],
  outcome: Outcome,
): Promise<ChannelRecord> {
  return (await settleAll(ports, pending, outcome)) ? finished(record) : record;
}

/**
 * Settles the alerts that wait for a channel that the list no longer has, and removes its record if
 * that is unchanged since before the list was read. Returns whether nothing is left to do.
 */
async function closeInbox(
  ports: DeliverMessagesPorts,
  destinationId: DestinationId,
  known: ChannelRecord | undefined,
): Promise<boolean> {
  let record = known;
  do {
    const entries = await ports.oldestInInbox(destinationId, DIGEST);
    const pending = await pendingOf(ports, entries);
    await announceMissing(ports, destinationId, pending);
    const outcome: Outcome = { state: 'failed', at: ports.now(), reason: MISSING };
    await settleAll(ports, pending, outcome);
    if (entries.length > 0) continue;
    if (record === undefined) return true;
    if (!(await isForgotten(ports, record))) return false;
    // Alerts posted meanwhile are found in one more pass.
    record = undefined;
  } while (ports.remainingTime() > TIME_TO_STOP);
  return false;
}

/**
 * Reports alerts for a contact point that is gone although their list names it still: another version
 * may have left it out. A list that names it no longer has done without it by itself.
 */
async function announceMissing(
  ports: DeliverMessagesPorts,
  destinationId: DestinationId,
  pending: readonly Waiting[],
): Promise<void> {
  const missing = channelOf(destinationId);
  if (missing === undefined || !isOfContactPoints(missing.list)) return;
  const { tenant } = missing.list;
  const affected = Map.groupBy(pending, ({ record }) => record.alert.watchlist);
  for (const [id, waiting] of affected) {
    const list = await ports.getWatchlist({ tenant, id });
    const [first] = waiting;
    const isNamed = list?.deleted === false && list.contactPoints.includes(missing.channel);
    if (first === undefined || !isNamed) continue;
    const alert = missingContactPointAlert(list, missing.channel, first.record.postedAt);
    const others = allDestinationIdsOf(list, ports).filter((other) => other !== destinationId);
    await postAlerts(ports, [alert], others);
    ports.report('alerts_given_up', { destinationId, alerts: waiting.length, reason: MISSING });
  }
}

async function isForgotten(ports: DeliverMessagesPorts, record: ChannelRecord): Promise<boolean> {
  try {
    await ports.removeChannel(record);
    return true;
  } catch (error) {
    if (error instanceof VersionConflictError) return false;
    throw error;
  }
}

/** Settles alerts; returns whether the time was enough for all of them. */
async function settleAll(
  ports: DeliverMessagesPorts,
  pending: readonly Waiting[],
  outcome: Outcome,
): Promise<boolean> {
  for (let start = 0; start < pending.length; start += AT_ONCE) {
    if (start > 0 && ports.remainingTime() < TIME_TO_STOP) return false;
    await waitForAll(
      pending.slice(start, start + AT_ONCE).map((waiting) => settle(ports, waiting, outcome)),
    );
  }
  return true;
}

/**
 * Settles one alert for its destination. Each other destination may write its own outcome
 * meanwhile, once: conflicts are retried accordingly.
 */
async function settle(
  ports: DeliverMessagesPorts,
  { entry, record }: Waiting,
  outcome: Outcome,
): Promise<void> {
  let known: AlertRecord | undefined = record;
  const attempts = Object.keys(record.deliveries).length + SPARE_ATTEMPTS;
  const write = async () => {
    if (known === undefined || !isPending(known, entry.destinationId)) return;
    try {
      await ports.putAlert(settled(known, entry.destinationId, outcome));
    } catch (error) {
      if (error instanceof VersionConflictError) known = await ports.getAlert(entry.alert);
      throw error;
    }
  };
  await retryingConflicts(write, attempts);
  await ports.removeFromInbox(entry);
}

/**
 * Clears the timer first, but for what is held, and reads the inbox afterwards. `postAlerts` writes the inbox first and
 * sets the timer afterwards, so one of the two sees the write of the other.
 */
async function rest(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  until: Instant | undefined,
): Promise<ChannelRecord | undefined> {
  const next = idle(record, until);
  const put = next === record ? { written: record } : await putUnlessChanged(ports, next);
  if ('found' in put) return put.found;
  const { entries, held } = await ports.nextInInbox(record.destinationId, 1, ports.now());
  const [first] = held;
  const isSeenTo = first === undefined || (until !== undefined && until <= first.held.until);
  return entries.length === 0 && isSeenTo ? undefined : put.written;
}

/**
 * Writes a destination's record if it is unchanged since it was read. Otherwise returns the record
 * found, which comes first; undefined while another worker has a notification under way.
 */
async function putUnlessChanged(
  ports: DeliverMessagesPorts,
  next: ChannelRecord,
): Promise<{ readonly written: ChannelRecord } | { readonly found: ChannelRecord | undefined }> {
  try {
    return { written: await ports.putChannel(next) };
  } catch (error) {
    if (!(error instanceof VersionConflictError)) throw error;
    const found = await findChannel(ports, next.destinationId);
    const isTheirs = found.notification !== undefined && found.notification.outcome === undefined;
    return { found: isTheirs ? undefined : found };
  }
}

/**
 * Changes a destination's record, also after a concurrent change. Facts about another address are
 * dropped.
 */
async function change(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  to: (record: ChannelRecord) => ChannelRecord,
): Promise<ChannelRecord> {
  return await changeChannel(ports, record, (found) => to(configured(found, record.configuration)));
}
