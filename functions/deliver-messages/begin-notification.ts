import { quietOf } from '#shared/channels/channel.ts';
import type { Destination } from '#shared/channels/destination.ts';
import { placeOf, watchOf } from '#shared/domain/alerting/alert.ts';
import { digestId } from '#shared/domain/alerting/notification.ts';
import {
  entryName,
  type HeldEntry,
  type Hold,
  type InboxEntry,
} from '#shared/domain/channels/alert-record.ts';
import {
  begun,
  type ChannelRecord,
  dueAgain,
  heldUntil,
  idle,
  isPaced,
  PAUSE,
  paceOpensAt,
} from '#shared/domain/channels/channel-record.ts';
import { gatheredUntil, isCrowd } from '#shared/domain/channels/grouping.ts';
import { shownOf, wakesSomebody } from '#shared/domain/channels/shown-episodes.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { quietUntil } from '#shared/domain/watchlists/quiet-hours.ts';
import { proveAtRest } from './answer.ts';
import { refusedAll, unwantedOf } from './give-up.ts';
import { type ListReader, remembering } from './list-reader.ts';
import {
  DIGEST,
  entriesToRead,
  isReadByPeople,
  isSentInRounds,
  nextRound,
} from './message-size.ts';
import type { DeliverMessagesPorts } from './ports.ts';
import { change, putUnlessChanged } from './put-record.ts';
import { sendNotification } from './send-notification.ts';
import { pendingOf, type Waiting } from './waiting-alerts.ts';

/**
 * Writes the next notification to the record and sends it: one alert, or a digest of all that had
 * to wait. An urgent alert waits neither for the pace of lesser alerts nor for their digest.
 */
export async function beginNotification(
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
  const most = entriesToRead(destination);
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
  const inRounds = isSentInRounds(destination);
  const waiting = isPiledUp
    ? next.filter((entry) => entry.isUrgent === isUrgent)
    : forPeople
      ? oneMessageOf(next, held)
      : inRounds
        ? nextRound(record, next)
        : next;
  const due = await pendingOf(ports, waiting);
  // Alerts posted since are refused in the next step.
  if (unwantedOf(record, due).length > 0) return record;
  const listBehind = remembering(ports, destination);
  const free =
    isUrgent || !forPeople
      ? due
      : await holdBack(ports, record, destination, listBehind, due, heldBeside(waiting, held));
  const news = isPiledUp ? withoutAcknowledgements(free) : withoutEdits(record, free);
  const pending = inRounds ? free : news;
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
