import { destinationOf } from '#shared/channels/destination.ts';
import { laneOf } from '#shared/channels/lane.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';

/** The lane of a destination, if it has one, for those who have not read its record. */
export type FindLane = (destinationId: DestinationId) => Promise<string | undefined>;

/**
 * Finds lanes by the lists of channels. A lane may turn out to be wrong: the worker that knows the
 * record then queues the work for the right one.
 */
export function createFindLane(
  getWatchlist: (id: WatchlistId) => Promise<Watchlist | undefined>,
): FindLane {
  return async (destinationId) => {
    try {
      const destination = await destinationOf(getWatchlist, destinationId);
      return destination && laneOf(destination, {});
    } catch (error) {
      // The delivery reports it.
      if (error instanceof UnreadableError) return undefined;
      throw error;
    }
  };
}

/** The message that sends a destination's actor to its inbox. */
export async function messageTo(
  { findLane }: { readonly findLane: FindLane },
  destinationId: DestinationId,
): Promise<ChannelMessage> {
  const lane = await findLane(destinationId);
  return lane === undefined ? { destinationId } : { destinationId, lane };
}
