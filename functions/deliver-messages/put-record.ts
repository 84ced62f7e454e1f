import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import {
  type ChannelRecord,
  configured,
  isAnswered,
} from '#shared/domain/channels/channel-record.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { changeChannel, findChannel } from '#shared/use-cases/change-channel.ts';
import type { DeliverMessagesPorts } from './ports.ts';

/** The written record, or the record of another worker that wrote first. */
type Put = { readonly written: ChannelRecord } | { readonly found: ChannelRecord | undefined };

/** Writes a destination's record if it is unchanged. */
export async function putUnlessChanged(
  ports: DeliverMessagesPorts,
  next: ChannelRecord,
): Promise<Put> {
  return await unlessChanged(ports, next.destinationId, () => ports.putChannel(next));
}

/**
 * Makes a conditional write of a destination's record. After a conflict it returns the stored
 * record, or undefined while another worker has a notification in progress.
 */
export async function unlessChanged(
  ports: DeliverMessagesPorts,
  destinationId: DestinationId,
  write: () => Promise<ChannelRecord>,
): Promise<Put> {
  try {
    return { written: await write() };
  } catch (error) {
    if (!(error instanceof VersionConflictError)) throw error;
    const found = await findChannel(ports, destinationId);
    const { notification } = found;
    const isTheirs = notification !== undefined && !isAnswered(notification);
    return { found: isTheirs ? undefined : found };
  }
}

/**
 * Changes a destination's record; retries after a concurrent change. Facts about an earlier address
 * are dropped.
 */
export async function change(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  to: (record: ChannelRecord) => ChannelRecord,
): Promise<ChannelRecord> {
  return await changeChannel(ports, record, (found) => to(configured(found, record.configuration)));
}
