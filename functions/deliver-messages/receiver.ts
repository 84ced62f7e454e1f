import { batchSizeOf, isForPeople, quietHours } from '#shared/channels/channel.ts';
import type { Destination } from '#shared/channels/destination.ts';
import { ROUND } from '#shared/domain/channels/channel-record.ts';
import type { Receiver } from '#shared/domain/channels/plan.ts';

/** Maximum number of alerts in a digest. Each alert costs a read and a write. */
export const DIGEST = 1000;
/**
 * Entries read for a round. More entries are read than a round needs, because a round uses only one
 * entry of each watch.
 */
const READ_FOR_ROUND = 4 * ROUND.most;

/**
 * The form in which a destination gets alerts: digests for people, batches or rounds for programs.
 */
export function receiverOf(destination: Destination): Receiver {
  if (destination.kind !== 'channel') {
    return { isForPeople: true, inRounds: false, most: DIGEST, quiet: [] };
  }
  const { channel } = destination;
  const quiet = quietHours(channel) ?? [];
  if (isForPeople(channel)) return { isForPeople: true, inRounds: false, most: DIGEST, quiet };
  const most = batchSizeOf(channel);
  return most === 1
    ? { isForPeople: false, inRounds: true, most: ROUND.most, quiet }
    : { isForPeople: false, inRounds: false, most, quiet };
}

/** The inbox entries to read for the next message or round. */
export function entriesToRead({ inRounds, most }: Receiver): number {
  return inRounds ? READ_FOR_ROUND : most;
}
