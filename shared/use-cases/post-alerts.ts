import type { Alert, AlertKey } from '#shared/domain/alerting/alert.ts';
import type { PostedAlert } from '#shared/domain/channels/alert-record.ts';
import { awaited } from '#shared/domain/channels/channel-record.ts';
import type { DestinationId } from '#shared/domain/channels/destination-id.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { type ChangeChannelPorts, changeChannel, findChannel } from './change-channel.ts';

export type PostAlertsPorts = ChangeChannelPorts & {
  readonly getPosted: (key: AlertKey) => Promise<PostedAlert | undefined>;
  /**
   * Writes an alert together with its inbox entries. Throws VersionConflictError if it is posted
   * already.
   */
  readonly postAlert: (posted: PostedAlert) => Promise<void>;
  readonly sendToChannels: (messages: readonly Outgoing<ChannelMessage>[]) => Promise<void>;
};

/**
 * Posts alerts to the inboxes of their destinations, whose actors send them. An alert that is posted
 * already keeps its destinations.
 */
export async function postAlerts(
  ports: PostAlertsPorts,
  alerts: readonly Alert[],
  destinationIds: readonly DestinationId[],
): Promise<void> {
  const hints = new Map<DestinationId, Outgoing<ChannelMessage>>();
  // After a crash, every inbox with an entry has a timer.
  for (const destinationId of destinationIds) await setTimer(ports, destinationId);
  try {
    for (const alert of alerts) {
      for (const destinationId of await post(ports, alert, destinationIds)) {
        hints.set(destinationId, {
          message: { destinationId },
          deduplication: `${destinationId} ${alert.id}`,
        });
      }
    }
  } catch (error) {
    // A write that seemed to fail may have been made: its destinations are looked into, too.
    await Promise.allSettled(destinationIds.map((destinationId) => setTimer(ports, destinationId)));
    throw error;
  }
  for (const destinationId of hints.keys()) await setTimer(ports, destinationId);
  await ports.sendToChannels([...hints.values()]);
}

/** Posts one alert. Returns its destinations: those of the first time if it is posted already. */
async function post(
  ports: PostAlertsPorts,
  alert: Alert,
  destinations: readonly DestinationId[],
): Promise<readonly DestinationId[]> {
  try {
    await ports.postAlert({ alert, postedAt: ports.now(), destinations });
    return destinations;
  } catch (error) {
    if (!(error instanceof VersionConflictError)) throw error;
    return (await ports.getPosted(alert))?.destinations ?? [];
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
