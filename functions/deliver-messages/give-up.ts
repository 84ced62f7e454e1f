import { waitsSince } from '#shared/domain/channels/alert-record.ts';
import { channelOffAlert } from '#shared/domain/channels/channel-alerts.ts';
import {
  type ChannelRecord,
  finished,
  givingUp,
  withAnnounced,
} from '#shared/domain/channels/channel-record.ts';
import { closedBecause } from '#shared/domain/channels/channel-standing.ts';
import { allDestinationIdsOf, channelOf } from '#shared/domain/channels/destination-id.ts';
import { DAY, formatInstant } from '#shared/domain/market/instant.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import { DIGEST } from './message-size.ts';
import type { DeliverMessagesPorts } from './ports.ts';
import { change } from './put-record.ts';
import { answeredBy, pendingOf, settleAll, type Waiting } from './waiting-alerts.ts';

/** An alert that a channel does not accept is given up after this time. */
export const GIVEN_UP_AFTER = DAY;

/**
 * Alerts the list's other channels and the operators that a channel does not accept its alerts.
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

/**
 * Settles the alerts that wait for a closed channel as failed, apart from a test of one that is
 * off. Returns whether there were any.
 */
export async function refusedAll(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
): Promise<boolean> {
  const reason = closedBecause(record);
  if (reason === undefined) return false;
  const { entries } = await ports.nextInInbox(record.destinationId, DIGEST, ports.now());
  const waiting = await pendingOf(ports, entries);
  const unwanted = unwantedOf(record, waiting);
  await settleAll(ports, answeredBy(unwanted, { state: 'failed', at: ports.now(), reason }));
  if (unwanted.length === 0) return false;
  ports.report('alerts_given_up', {
    destinationId: record.destinationId,
    alerts: unwanted.length,
    reason,
  });
  return true;
}

/** The waiting alerts that a closed channel does not get: all but a test of one that is off. */
export function unwantedOf(record: ChannelRecord, waiting: readonly Waiting[]): readonly Waiting[] {
  if (closedBecause(record) === undefined) return [];
  return waiting.filter(
    ({ record: { alert } }) => record.off === undefined || alert.kind !== 'test',
  );
}

/** The alerts that a failing channel has not accepted for a day. */
export async function waitingForADay(
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
export async function giveUp(
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
  await settleAll(ports, answeredBy(waiting, { state: 'failed', at: now, reason }));
  ports.report('alerts_given_up', {
    destinationId: record.destinationId,
    alerts: waiting.length,
    reason,
  });
  return await giveUpNotification(ports, record);
}

/** Ends the notification under way, unless another worker has begun another one meanwhile. */
export async function giveUpNotification(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
): Promise<ChannelRecord> {
  return await change(ports, record, (found) =>
    found.notification?.id === record.notification?.id ? finished(found) : found,
  );
}
