import { batchSizeOf, isForPeople, quietOf } from '#shared/channels/channel.ts';
import type { Destination } from '#shared/channels/destination.ts';
import { ROUND } from '#shared/domain/channels/channel-record.ts';
import type { Receiver } from '#shared/domain/channels/plan.ts';

/** The most alerts of one digest. Each costs a read and a write. */
export const DIGEST = 1000;
/** Entries read for a round. A round uses one entry of each watch, so more are read than it has. */
const READ_FOR_ROUND = 4 * ROUND.most;

/** How a destination takes alerts. People get digests, a program gets batches or rounds. */
export function receiverOf(destination: Destination): Receiver {
  if (destination.kind !== 'channel') {
    return { isForPeople: true, inRounds: false, most: DIGEST, quiet: [] };
  }
  const { channel } = destination;
  const quiet = quietOf(channel) ?? [];
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
