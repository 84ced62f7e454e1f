import { addressOf } from '#shared/channels/channel.ts';
import { type Destination, destinationOf } from '#shared/channels/destination.ts';
import { laneOf } from '#shared/channels/lane.ts';
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

/** Milliseconds that a destination may occupy its lane; then the next destination has its turn. */
const TURN = 5 * SECOND;

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
  const end = message.lane === undefined ? Number.POSITIVE_INFINITY : ports.now() + TURN;
  while (laneOf(destination, known) === message.lane) {
    known = await takeStep(ports, known, destination, signal);
    if (known === undefined) return;
    if (ports.remainingTime() <= TIME_TO_STOP || ports.now() >= end) break;
  }
  await goOn(ports, channelMessage(destinationId, laneOf(destination, known)));
}

/** Closes the inbox of a channel that its list no longer has. */
async function close(ports: DeliverMessagesPorts, message: ChannelMessage): Promise<void> {
  const { destinationId } = message;
  // Read before the list: if the channel comes back and its record changes, it is not removed.
  const record = await ports.getChannel(destinationId);
  const isGone = (await destinationOf(ports.getWatchlist, destinationId)) === undefined;
  const isClosed = isGone && (await closeInbox(ports, destinationId, record));
  if (!isClosed) await goOn(ports, message);
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
