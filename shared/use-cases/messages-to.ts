import { destinationOf } from '#shared/channels/destination.ts';
import { laneOf } from '#shared/channels/lane.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { type ChannelMessage, channelMessage } from '#shared/domain/messages/channel-message.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { oncePerList } from './once-per-list.ts';
import { waitForAll } from './wait-for-all.ts';

/** Makes the messages that send the actors of destinations to their inboxes, in their order. */
export type MessagesTo = (
  destinationIds: readonly DestinationId[],
) => Promise<readonly ChannelMessage[]>;

/**
 * Finds the lanes of channels by their lists, and reads each list once. A lane may turn out to be
 * wrong: the worker that knows the record then queues the work for the right one.
 */
export function createMessagesTo(
  getWatchlist: (id: WatchlistId) => Promise<Watchlist | undefined>,
): MessagesTo {
  return async (destinationIds) => {
    const read = oncePerList(getWatchlist);
    return await waitForAll(
      destinationIds.map(async (one) => channelMessage(one, await laneIn(read, one))),
    );
  };
}

async function laneIn(
  getWatchlist: (id: WatchlistId) => Promise<Watchlist | undefined>,
  destinationId: DestinationId,
): Promise<string | undefined> {
  try {
    const destination = await destinationOf(getWatchlist, destinationId);
    return destination && laneOf(destination, {});
  } catch (error) {
    // The delivery reports it.
    if (error instanceof UnreadableError) return undefined;
    throw error;
  }
}
