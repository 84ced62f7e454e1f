import { type InboxEntry, waitsSince } from '#shared/domain/channels/alert-record.ts';
import { channelOffAlert } from '#shared/domain/channels/channel-alerts.ts';
import {
  type ChannelRecord,
  finished,
  givingUp,
  withAnnounced,
} from '#shared/domain/channels/channel-record.ts';
import { allDestinationIdsOf, channelOf } from '#shared/domain/channels/destination-id.ts';
import { DAY, formatInstant } from '#shared/domain/market/instant.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import type { DeliverMessagesPorts } from './ports.ts';
import { change } from './put-record.ts';
import { DIGEST } from './receiver.ts';
import { reject } from './waiting-alerts.ts';

/** Undelivered alerts are given up after this time. */
export const GIVEN_UP_AFTER = DAY;

/**
 * Posts a `channel_off` alert to the list's other channels and the operators. The alert reports
 * that a channel does not accept its alerts.
 */
export async function announce(
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

/** The alerts that a failing channel has not accepted for a day. */
export async function waitingForADay(
  ports: DeliverMessagesPorts,
  { destinationId, failure }: ChannelRecord,
): Promise<readonly InboxEntry[]> {
  if (failure === undefined) return [];
  const dayAgo = ports.now() - GIVEN_UP_AFTER;
  const old = await ports.oldestInInbox(destinationId, DIGEST, formatInstant(dayAgo));
  return old.filter((entry) => waitsSince(entry) < dayAgo);
}

/**
 * Gives up alerts in two calls: the first records that they are given up, and the next settles
 * them. The other alerts of their notification are sent with the next notification.
 */
export async function giveUp(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  entries: readonly InboxEntry[],
): Promise<ChannelRecord> {
  const now = ports.now();
  const { failure } = record;
  if (failure?.givingUp === undefined) {
    return await change(ports, record, (found) => givingUp(found, now));
  }
  await reject(ports, entries, failure.reason);
  return await giveUpNotification(ports, record);
}

/** Ends the current notification, unless another worker has started another notification. */
export async function giveUpNotification(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
): Promise<ChannelRecord> {
  return await change(ports, record, (found) =>
    found.notification?.id === record.notification?.id ? finished(found) : found,
  );
}
