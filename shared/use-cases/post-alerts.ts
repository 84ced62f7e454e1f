import type { Alert, AlertKey } from '#shared/domain/alerting/alert.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { PostedAlert } from '#shared/domain/channels/alert-record.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { type ChannelWakerPorts, createChannelWaker } from './wake-channels.ts';

export type PostAlertsPorts = ChannelWakerPorts & {
  readonly getPosted: (key: AlertKey) => Promise<PostedAlert | undefined>;
  /**
   * Writes an alert with its inbox entries. Throws VersionConflictError if it is already posted.
   */
  readonly postAlert: (posted: PostedAlert) => Promise<void>;
};

/**
 * Posts alerts to the inboxes of their destinations, whose workers send them. An alert that is
 * already posted keeps its destinations.
 */
export async function postAlerts(
  ports: PostAlertsPorts,
  alerts: readonly Alert[],
  destinationIds: readonly DestinationId[],
): Promise<void> {
  const waker = createChannelWaker(ports);
  await waker.announce(destinationIds);
  for (const alert of alerts) waker.note(alert.id, await post(ports, alert, destinationIds));
  await waker.send();
}

/**
 * Posts an alert and returns its destinations. If the alert is already posted, these are the
 * destinations to which it was first posted.
 */
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
