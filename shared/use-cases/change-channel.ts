import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { type ChannelRecord, newChannelRecord } from '#shared/domain/channels/channel-record.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { retryingConflicts } from './retrying-conflicts.ts';

export type ChangeChannelPorts = {
  readonly now: () => Instant;
  readonly getChannel: (destinationId: DestinationId) => Promise<ChannelRecord | undefined>;
  readonly putChannel: (record: ChannelRecord) => Promise<ChannelRecord>;
};

/** The record of a destination; a new one if nothing was sent to it yet. */
export async function findChannel(
  ports: ChangeChannelPorts,
  destinationId: DestinationId,
): Promise<ChannelRecord> {
  return (await ports.getChannel(destinationId)) ?? newChannelRecord(destinationId, ports.now());
}

/**
 * Changes the record of a destination and returns it. After a version conflict the record is read
 * and changed again.
 */
export async function changeChannel(
  ports: ChangeChannelPorts,
  known: ChannelRecord,
  to: (record: ChannelRecord) => ChannelRecord,
): Promise<ChannelRecord> {
  let record = known;
  return await retryingConflicts(async () => {
    const next = to(record);
    if (next === record) return record;
    try {
      return await ports.putChannel(next);
    } catch (error) {
      if (error instanceof VersionConflictError)
        record = await findChannel(ports, known.destinationId);
      throw error;
    }
  });
}
