import type { Alert, AlertKey } from '#shared/domain/alerting/alert.ts';
import {
  type AlertRecord,
  type InboxEntry,
  isUrgent,
  newAlertRecord,
  pendingDestinations,
} from '#shared/domain/channels/alert-record.ts';
import { awaited } from '#shared/domain/channels/channel-record.ts';
import type { DestinationId } from '#shared/domain/channels/destination-id.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { type ChangeChannelPorts, changeChannel, findChannel } from './change-channel.ts';

export type PostAlertsPorts = ChangeChannelPorts & {
  readonly getAlert: (key: AlertKey) => Promise<AlertRecord | undefined>;
  readonly putAlert: (record: AlertRecord) => Promise<AlertRecord>;
  readonly putInInbox: (entry: InboxEntry) => Promise<void>;
  readonly sendToChannels: (messages: readonly Outgoing<ChannelMessage>[]) => Promise<void>;
};

/**
 * Puts alerts into the inboxes of their destinations, whose actors send them. Doing it again
 * changes nothing: an alert that is there already goes where it was to go the first time, and only
 * where it has not arrived.
 */
export async function postAlerts(
  ports: PostAlertsPorts,
  alerts: readonly Alert[],
  destinationIds: readonly DestinationId[],
): Promise<void> {
  const hints = new Map<DestinationId, Outgoing<ChannelMessage>>();
  try {
    for (const alert of alerts) {
      const { tenant, watchlist, at, id } = alert;
      const record = await createAlert(ports, alert, destinationIds);
      for (const destinationId of pendingDestinations(record)) {
        // After a crash, every inbox with an entry has a timer.
        if (!hints.has(destinationId)) await setTimer(ports, destinationId);
        hints.set(destinationId, {
          message: { destinationId },
          deduplication: `${destinationId} ${id}`,
        });
        const key = { tenant, watchlist, at, id };
        // As it was the first time: what is made anew of a rule may have another severity by now.
        const entry = { destinationId, alert: key, isUrgent: isUrgent(record.alert) };
        await ports.putInInbox(entry);
      }
    }
  } catch (error) {
    // A write that seemed to fail may have been made: its destination is looked into, too.
    await Promise.allSettled(
      [...hints.keys()].map((destinationId) => setTimer(ports, destinationId)),
    );
    throw error;
  }
  for (const destinationId of hints.keys()) await setTimer(ports, destinationId);
  await ports.sendToChannels([...hints.values()]);
}

/**
 * Puts an alert where it was to go, if it has arrived in part: all that were to hear of it do, though
 * nobody would be told any more.
 */
export async function finishPosting(ports: PostAlertsPorts, alert: AlertKey): Promise<void> {
  const found = await ports.getAlert(alert);
  if (found !== undefined) await postAlerts(ports, [found.alert], []);
}

/** The alert's record: a new one, or that of the same alert taken over before. */
async function createAlert(
  ports: PostAlertsPorts,
  alert: Alert,
  destinationIds: readonly DestinationId[],
): Promise<AlertRecord> {
  const created = newAlertRecord(alert, destinationIds, ports.now());
  try {
    return await ports.putAlert(created);
  } catch (error) {
    if (!(error instanceof VersionConflictError)) throw error;
    return (await ports.getAlert(alert)) ?? created;
  }
}

/**
 * After the inbox, too: the channel's actor gives up its timer first and looks into the inbox
 * then, so that one of the two sees what the other did.
 */
async function setTimer(ports: PostAlertsPorts, destinationId: DestinationId): Promise<void> {
  const known = await findChannel(ports, destinationId);
  await changeChannel(ports, known, (record) => awaited(record, ports.now()));
}
