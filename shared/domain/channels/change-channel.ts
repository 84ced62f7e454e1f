import type { Instant } from '#shared/domain/market/instant.ts';
import { retryingConflicts, VersionConflictError } from '#shared/domain/version-conflict.ts';
import { type ChannelRecord, newChannelRecord } from './channel-record.ts';
import type { DestinationId } from './destination-id.ts';

export type ChangeChannelPorts = {
  readonly now: () => Instant;
  readonly getChannel: (destinationId: DestinationId) => Promise<ChannelRecord | undefined>;
  readonly putChannel: (record: ChannelRecord) => Promise<ChannelRecord>;
};

/** What is known of a destination; of one that nothing was sent to yet, nothing. */
export async function findChannel(
  ports: ChangeChannelPorts,
  destinationId: DestinationId,
): Promise<ChannelRecord> {
  return (await ports.getChannel(destinationId)) ?? newChannelRecord(destinationId, ports.now());
}

/**
 * Changes what is known of a destination, from its reading on where somebody else has changed it;
 * reports it.
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
