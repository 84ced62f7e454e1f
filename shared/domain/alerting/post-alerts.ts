import {
  type ChangeChannelPorts,
  changeChannel,
  findChannel,
} from '#shared/domain/channels/change-channel.ts';
import { awaited } from '#shared/domain/channels/channel-record.ts';
import type { Sink } from '#shared/domain/channels/sink.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import type { Alert, AlertKey } from './alert.ts';
import {
  type AlertRecord,
  type InboxEntry,
  isUrgent,
  newAlertRecord,
  pendingSinks,
} from './alert-record.ts';

export type PostAlertsPorts = ChangeChannelPorts & {
  readonly getAlert: (key: AlertKey) => Promise<AlertRecord | undefined>;
  readonly putAlert: (record: AlertRecord) => Promise<AlertRecord>;
  readonly putInInbox: (entry: InboxEntry) => Promise<void>;
  readonly sendToChannels: (messages: readonly Outgoing<ChannelMessage>[]) => Promise<void>;
};

/**
 * Puts alerts into the inboxes of their sinks, whose actors send them. Doing it again changes
 * nothing: an alert that is there already goes where it was to go the first time, and only where
 * it has not arrived.
 */
export async function postAlerts(
  ports: PostAlertsPorts,
  alerts: readonly Alert[],
  sinks: readonly Sink[],
): Promise<void> {
  const hints = new Map<Sink, Outgoing<ChannelMessage>>();
  try {
    for (const alert of alerts) {
      const { tenant, watchlist, at, id } = alert;
      for (const sink of pendingSinks(await createAlert(ports, alert, sinks))) {
        // A crash leaves nothing in an inbox that nobody would look into.
        if (!hints.has(sink)) await setTimer(ports, sink);
        hints.set(sink, { message: { sink }, deduplication: `${sink} ${id}` });
        const key = { tenant, watchlist, at, id };
        await ports.putInInbox({ sink, alert: key, isUrgent: isUrgent(alert) });
      }
    }
  } catch (error) {
    // A write that seemed to fail may have been made: its sink is looked into, too.
    await Promise.allSettled([...hints.keys()].map((sink) => setTimer(ports, sink)));
    throw error;
  }
  for (const sink of hints.keys()) await setTimer(ports, sink);
  await ports.sendToChannels([...hints.values()]);
}

/** The alert's record: a new one, or that of the same alert taken over before. */
async function createAlert(
  ports: PostAlertsPorts,
  alert: Alert,
  sinks: readonly Sink[],
): Promise<AlertRecord> {
  const created = newAlertRecord(alert, sinks, ports.now());
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
async function setTimer(ports: PostAlertsPorts, sink: Sink): Promise<void> {
  const known = await findChannel(ports, sink);
  await changeChannel(ports, known, (record) => awaited(record, ports.now()));
}
