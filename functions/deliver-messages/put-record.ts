import {
  type ChannelRecord,
  configured,
  isAnswered,
} from '#shared/domain/channels/channel-record.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { changeChannel, findChannel } from '#shared/use-cases/change-channel.ts';
import type { DeliverMessagesPorts } from './ports.ts';

/**
 * Writes a destination's record if it is unchanged since it was read. Otherwise returns the record
 * found, which comes first; undefined while another worker has a notification under way.
 */
export async function putUnlessChanged(
  ports: DeliverMessagesPorts,
  next: ChannelRecord,
): Promise<{ readonly written: ChannelRecord } | { readonly found: ChannelRecord | undefined }> {
  try {
    return { written: await ports.putChannel(next) };
  } catch (error) {
    if (!(error instanceof VersionConflictError)) throw error;
    const found = await findChannel(ports, next.destinationId);
    const { notification } = found;
    const isTheirs = notification !== undefined && !isAnswered(notification);
    return { found: isTheirs ? undefined : found };
  }
}

/**
 * Changes a destination's record, also after a concurrent change. Facts about another address are
 * dropped.
 */
export async function change(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  to: (record: ChannelRecord) => ChannelRecord,
): Promise<ChannelRecord> {
  return await changeChannel(ports, record, (found) => to(configured(found, record.configuration)));
}
