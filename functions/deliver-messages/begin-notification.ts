import type { Destination } from '#shared/channels/destination.ts';
import { digestId } from '#shared/domain/alerting/notification.ts';
import {
  type Answered,
  inboxSortKey,
  type MutedEntry,
} from '#shared/domain/channels/alert-record.ts';
import {
  begun,
  type ChannelRecord,
  dueAgain,
  heldUntil,
  idle,
} from '#shared/domain/channels/channel-record.ts';
import { type Action, isPaused, nextMessage, plan } from '#shared/domain/channels/plan.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import { proveAtRest } from './ask-destination.ts';
import { type ListReader, remembering } from './list-reader.ts';
import { holdMuted, lookThroughMuted } from './muted.ts';
import { planContextOf } from './plan-context.ts';
import type { DeliverMessagesPorts } from './ports.ts';
import { change, putUnlessChanged } from './put-record.ts';
import { entriesToRead, receiverOf } from './receiver.ts';
import { sendNotification } from './send-notification.ts';
import { pendingOf, reject, settleAll } from './waiting-alerts.ts';

/** Executes the next action of a destination. */
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
  const next = nextMessage(record, inbox, receiver, now);
  const context = await planContextOf(ports, record, receiver, listBehind, next);
  const action = plan(record, inbox, context, now);
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
    case 'review':
      return await lookThroughMuted(ports, record, listBehind);
    case 'skip':
      await settleAll(ports, skippedEntries(action.entries, now));
      return record;
    case 'unmute':
      await waitForAll(
        action.entries.map((entry) => ports.unmuteInInbox(entry, now, next[0]?.isUrgent)),
      );
      return record;
    case 'hold':
      return await hold(ports, record, action.entries, context.muted);
    case 'send':
      await ports.sleepUntil(action.from, signal);
      return await send(ports, record, action, destination, listBehind, signal);
  }
}

/** Gives skipped alerts their outcomes, each with the reason. */
function skippedEntries(
  entries: Extract<Action, { readonly kind: 'skip' }>['entries'],
  now: Instant,
): readonly Answered[] {
  return entries.map(([entry, reason]) => ({
    entry,
    outcome: { state: 'skipped', at: now, reason },
  }));
}

/** Holds entries: first the entries of muted watches, and in the next step the other entries. */
async function hold(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  entries: Extract<Action, { readonly kind: 'hold' }>['entries'],
  muted: ReadonlyMap<string, MutedEntry>,
): Promise<ChannelRecord | undefined> {
  const isOfMute = ([, { for: why }]: (typeof entries)[number]) => why === 'mute';
  const ofMutes = entries.filter(isOfMute);
  if (ofMutes.length > 0) return await holdMuted(ports, record, ofMutes, muted);
  for (const [entry, until] of entries) await ports.holdInInbox(entry, until);
  return record;
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
  const names = pending.map(({ entry }) => inboxSortKey(entry)).toSorted();
  const [first, ...others] = pending;
  if (first === undefined) return record;
  const id = others.length === 0 ? first.record.alert.id : digestId(record.destinationId, names);
  const notification = { id, entries: names };
  const put = await putUnlessChanged(ports, begun(record, notification, isAll, ports.now()));
  return 'found' in put
    ? put.found
    : await sendNotification(ports, put.written, pending, destination, listBehind, signal);
}

/** Records that the destination is idle, until the first hold ends. */
async function rest(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  until: Instant | undefined,
): Promise<ChannelRecord | undefined> {
  const next = idle(record, until);
  if (next === record) return undefined;
  const put = await putUnlessChanged(ports, next);
  return 'found' in put ? put.found : undefined;
}
