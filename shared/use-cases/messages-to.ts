import { channelPartition } from '#shared/channels/channel-partition.ts';
import { destinationOf } from '#shared/channels/destination.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { type ChannelMessage, channelMessage } from '#shared/domain/messages/channel-message.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { oncePerList } from './once-per-list.ts';
import { waitForAll } from './wait-for-all.ts';

/** Creates the messages that start the workers of destinations, in the same order. */
export type MessagesTo = (
  destinationIds: readonly DestinationId[],
) => Promise<readonly ChannelMessage[]>;

/**
 * Finds the partition of each channel with the channel's list, and reads each list once. A
 * partition may be wrong. The worker that gets the message then forwards the work to the right
 * partition.
 */
export function createMessagesTo(
  getWatchlist: (id: WatchlistId) => Promise<Watchlist | undefined>,
): MessagesTo {
  return async (destinationIds) => {
    const read = oncePerList(getWatchlist);
    return await waitForAll(
      destinationIds.map(async (one) => channelMessage(one, await partitionIn(read, one))),
    );
  };
}

async function partitionIn(
  getWatchlist: (id: WatchlistId) => Promise<Watchlist | undefined>,
  destinationId: DestinationId,
): Promise<string | undefined> {
  try {
    const destination = await destinationOf(getWatchlist, destinationId);
    return destination && channelPartition(destination, {});
  } catch (error) {
    // The delivery reports the unreadable list.
    if (error instanceof UnreadableError) return undefined;
    throw error;
  }
}
