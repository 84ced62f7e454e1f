import type { Destination } from '#shared/channels/destination.ts';
import { digestId } from '#shared/domain/alerting/notification.ts';
import {
  entryName,
  type InboxEntry,
  type NextEntries,
} from '#shared/domain/channels/alert-record.ts';
import {
  begun,
  type ChannelRecord,
  dueAgain,
  heldUntil,
  idle,
} from '#shared/domain/channels/channel-record.ts';
import {
  type Action,
  isPaused,
  type ListTimes,
  nextMessage,
  plan,
  type Receiver,
} from '#shared/domain/channels/plan.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { proveAtRest } from './answer.ts';
import { type ListReader, remembering } from './list-reader.ts';
import type { DeliverMessagesPorts } from './ports.ts';
import { change, putUnlessChanged } from './put-record.ts';
import { entriesToRead, receiverOf } from './receiver.ts';
import { sendNotification } from './send-notification.ts';
import { pendingOf, reject } from './waiting-alerts.ts';

/** Takes the action that the inbox of a destination asks for. */
export async function beginNotification(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  destination: Destination,
  signal: AbortSignal,
): Promise<ChannelRecord | undefined> {
  const { destinationId } = record;
  const receiver = receiverOf(destination);
  if (isPaused(record, receiver, ports.now())) return undefined;
  const inbox = await ports.nextInInbox(destinationId, entriesToRead(receiver), ports.now());
  const listBehind = remembering(ports, destination);
  const now = ports.now();
  const lists = await listTimes(listBehind, nextMessage(record, inbox, receiver, now), receiver);
  const action = plan(record, inbox, { receiver, lists }, now);
  switch (action.kind) {
    case 'rest': {
      const proven = await proveAtRest(ports, record, destination, signal);
      return proven ?? (await rest(ports, record, action.until));
    }
    case 'wait': {
      const waits = action.as === 'timer' ? dueAgain : heldUntil;
      await change(ports, record, (found) => waits(found, action.until));
      return undefined;
    }
    case 'giveUp':
      await reject(ports, action.entries, action.reason);
      return record;
    case 'hold':
      for (const [entry, hold] of action.entries) await ports.holdInInbox(entry, hold);
      return record;
    case 'send':
      await ports.sleepUntil(action.from, signal);
      return await send(ports, record, action, destination, listBehind, signal);
  }
}

/** The quiet hours of the lists of a message for people. */
async function listTimes(
  listBehind: ListReader,
  entries: readonly InboxEntry[],
  { isForPeople }: Receiver,
): Promise<ReadonlyMap<string, ListTimes>> {
  const lists = new Map<string, ListTimes>();
  if (!isForPeople || entries[0]?.isUrgent === true) return lists;
  for (const watchlist of new Set(entries.map(({ alert }) => alert.watchlist))) {
    lists.set(watchlist, (await listBehind({ watchlist })) ?? {});
  }
  return lists;
}

/** Writes the notification to the record, then sends it. */
async function send(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  { entries, isAll }: Extract<Action, { readonly kind: 'send' }>,
  destination: Destination,
  listBehind: ListReader,
  signal: AbortSignal,
): Promise<ChannelRecord | undefined> {
  const pending = await pendingOf(ports, entries);
  const names = pending.map(({ entry }) => entryName(entry)).toSorted();
  const [first, ...others] = pending;
  if (first === undefined) return record;
  const id = others.length === 0 ? first.record.alert.id : digestId(record.destinationId, names);
  const notification = { id, entries: names };
  const put = await putUnlessChanged(ports, begun(record, notification, isAll, ports.now()));
  return 'found' in put
    ? put.found
    : await sendNotification(ports, put.written, pending, destination, listBehind, signal);
}

/**
 * Clears the timer first, but for a held alert, and reads the inbox afterwards. `postAlerts` writes
 * the inbox first and sets the timer afterwards, so one of the two sees the write of the other.
 */
async function rest(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  until: Instant | undefined,
): Promise<ChannelRecord | undefined> {
  const next = idle(record, until);
  const put = next === record ? { written: record } : await putUnlessChanged(ports, next);
  if ('found' in put) return put.found;
  const found = await ports.nextInInbox(record.destinationId, 1, ports.now());
  return isSeenTo(found, until) ? undefined : put.written;
}

function isSeenTo({ entries, held: [first] }: NextEntries, until: Instant | undefined): boolean {
  return (
    entries.length === 0 &&
    (first === undefined || (until !== undefined && until <= first.held.until))
  );
}
