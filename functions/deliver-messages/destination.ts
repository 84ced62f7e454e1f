import type { Channel } from '#shared/domain/channels/channel.ts';
import { channelOf, type Sink } from '#shared/domain/channels/sink.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';

/** A sink as it is configured now. */
export type Destination =
  | { readonly kind: 'stack-topic' }
  | { readonly kind: 'stack-slack' }
  | { readonly kind: 'channel'; readonly list: Watchlist; readonly channel: Channel };

export type Webhook = {
  readonly list: Watchlist;
  readonly channel: Extract<Channel, { kind: 'webhook' }>;
};

/** The webhook that a sink is; undefined for any other kind. */
export function webhookOf(destination: Destination): Webhook | undefined {
  if (destination.kind !== 'channel' || destination.channel.kind !== 'webhook') return undefined;
  const { list, channel } = destination;
  return { list, channel };
}

/** Undefined where the list has no such channel any more. */
export async function destinationOf(
  getWatchlist: (id: WatchlistId) => Promise<Watchlist | undefined>,
  sink: Sink,
): Promise<Destination | undefined> {
  const wanted = channelOf(sink);
  if (wanted === undefined) return { kind: sink === 'stack-slack' ? sink : 'stack-topic' };
  const list = await getWatchlist(wanted.list);
  const channel = list?.channels.find(({ id }) => id === wanted.channel);
  return list === undefined || channel === undefined
    ? undefined
    : { kind: 'channel', list, channel };
}
