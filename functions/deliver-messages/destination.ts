import type { Channel } from '#shared/channels/channel.ts';
import { channelOf, type DestinationId } from '#shared/domain/channels/destination-id.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';

/** A destination in its present configuration. */
export type Destination =
  | { readonly kind: 'stack-topic' }
  | { readonly kind: 'stack-slack' }
  | { readonly kind: 'channel'; readonly list: Watchlist; readonly channel: Channel };

export type Webhook = {
  readonly list: Watchlist;
  readonly channel: Extract<Channel, { kind: 'webhook' }>;
};

/** The webhook that a destination is; undefined for any other kind. */
export function webhookOf(destination: Destination): Webhook | undefined {
  if (destination.kind !== 'channel' || destination.channel.kind !== 'webhook') return undefined;
  const { list, channel } = destination;
  return { list, channel };
}

/** The destination of an id; undefined if the list no longer has the channel. */
export async function destinationOf(
  getWatchlist: (id: WatchlistId) => Promise<Watchlist | undefined>,
  destinationId: DestinationId,
): Promise<Destination | undefined> {
  const wanted = channelOf(destinationId);
  if (wanted === undefined)
    return { kind: destinationId === 'stack-slack' ? destinationId : 'stack-topic' };
  const list = await getWatchlist(wanted.list);
  const channel = list?.channels.find(({ id }) => id === wanted.channel);
  return list === undefined || channel === undefined
    ? undefined
    : { kind: 'channel', list, channel };
}
