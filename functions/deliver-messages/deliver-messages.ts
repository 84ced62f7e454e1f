import { addressOf } from '#shared/channels/channel.ts';
import { channelPartition } from '#shared/channels/channel-partition.ts';
import { type Destination, destinationOf } from '#shared/channels/destination.ts';
import {
  awaited,
  type ChannelRecord,
  configured,
  isAnswered,
  mustAnnounce,
  newChannelRecord,
} from '#shared/domain/channels/channel-record.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import { type ChannelMessage, channelMessage } from '#shared/domain/messages/channel-message.ts';
import { channelGroup } from '#shared/domain/messages/groups.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { changeChannel, findChannel } from '#shared/use-cases/change-channel.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import { beginNotification } from './begin-notification.ts';
import { closeInbox } from './close-inbox.ts';
import { announce, giveUp, giveUpNotification, waitingForADay } from './give-up.ts';
import { remembering } from './list-reader.ts';
import type { DeliverMessagesPorts } from './ports.ts';
import { receiverOf } from './receiver.ts';
import { finish, sendNotification } from './send-notification.ts';
import { pendingOf, TIME_TO_STOP } from './waiting-alerts.ts';

/**
 * Milliseconds that a destination may occupy its partition before the next destination is served.
 */
const TURN = 5 * SECOND;

/**
 * Sends all waiting alerts of a destination, or stops when the destination must pause. A
 * notification is written to the record before it is sent, and its outcome is written before its
 * alerts are marked. After a crash, only that notification is sent again, with the same id.
 */
export async function deliverMessages(
  ports: DeliverMessagesPorts,
  message: ChannelMessage,
  signal: AbortSignal,
): Promise<void> {
  try {
    await deliver(ports, message, signal);
  } catch (error) {
    if (message.partition === undefined || error instanceof UnreadableError) throw error;
    // A failed message would block its partition until SQS repeats it, so the timer of the
    // destination repeats the work instead.
    const record = await findChannel(ports, message.destinationId);
    await changeChannel(ports, record, (known) => awaited(known, ports.now()));
    ports.report('delivery_failed', { ...message, error });
  }
}

async function deliver(
  ports: DeliverMessagesPorts,
  message: ChannelMessage,
  signal: AbortSignal,
): Promise<void> {
  const { destinationId } = message;
  const [record, destination] = await waitForAll([
    ports.getChannel(destinationId),
    destinationOf(ports.getWatchlist, destinationId),
  ]);
  if (destination === undefined) return await close(ports, message);
  let known: ChannelRecord | undefined = record ?? newChannelRecord(destinationId, ports.now());
  const end = message.partition === undefined ? Number.POSITIVE_INFINITY : ports.now() + TURN;
  while (channelPartition(destination, known) === message.partition) {
    known = await takeStep(ports, known, destination, signal);
    if (known === undefined) return;
    if (ports.remainingTime() <= TIME_TO_STOP || ports.now() >= end) break;
  }
  await goOn(ports, channelMessage(destinationId, channelPartition(destination, known)));
}

/** Closes the inbox of a channel that its list no longer has. */
async function close(ports: DeliverMessagesPorts, message: ChannelMessage): Promise<void> {
  const { destinationId } = message;
  // Read before the list: if the channel is added again and its record changes, the record is kept.
  const record = await ports.getChannel(destinationId);
  const isGone = (await destinationOf(ports.getWatchlist, destinationId)) === undefined;
  const isClosed = isGone && (await closeInbox(ports, destinationId, record));
  if (!isClosed) await goOn(ports, message);
}

/** Queues the remaining work behind the work of other destinations. */
async function goOn(ports: DeliverMessagesPorts, message: ChannelMessage): Promise<void> {
  const deduplication = `${channelGroup(message)} ${message.destinationId} ${ports.now()}`;
  await ports.sendToChannels([{ message, deduplication }]);
}

/**
 * Executes the next step for a destination. Returns the record after the step, or undefined if
 * there is nothing to do.
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
  if (notification !== undefined && isAnswered(notification)) {
    const entries = await ports.namedInInbox(destinationId, notification.entries);
    const rest = await finish(ports, record, entries);
    return rest.notification === undefined
      ? await beginNotification(ports, rest, destination, signal)
      : rest;
  }
  if (notification === undefined)
    return await beginNotification(ports, record, destination, signal);
  if (notBefore > ports.now()) return undefined;
  if (notification.entries.length > receiverOf(destination).most) {
    // The notification was written under an earlier configuration of the channel (for people, or
    // with larger batches), so it has more alerts than the current configuration allows.
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
