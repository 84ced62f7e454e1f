import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { Subscription } from '#shared/domain/channels/channel-record.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { channelOf } from '#shared/domain/channels/destination-id.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Channel } from './channel.ts';

/** A destination with its current configuration. */
export type Destination =
  | { readonly kind: 'stack-topic' }
  | { readonly kind: 'stack-slack' }
  | { readonly kind: 'channel'; readonly list: Watchlist; readonly channel: Channel };

export type Webhook = {
  readonly list: Watchlist;
  readonly channel: Extract<Channel, { kind: 'webhook' }>;
};

/** Sends notifications to the operators and to the channels of lists. */
export type Destinations = {
  readonly send: (
    destination: Destination,
    notification: Notification,
    signal: AbortSignal,
    /** The subscription of the channel, if it has one. */
    subscription: Subscription | undefined,
  ) => Promise<ChatAnswer>;
  /** Sends a webhook its challenge. Returns `sent` if the webhook repeats the challenge. */
  readonly prove: (webhook: Webhook, signal: AbortSignal) => Promise<ChatAnswer>;
};

/** The webhook of a destination; undefined for all other kinds. */
export function webhookOf(destination: Destination): Webhook | undefined {
  if (destination.kind !== 'channel' || destination.channel.kind !== 'webhook') return undefined;
  const { list, channel } = destination;
  return { list, channel };
}

/** The destination with an id; undefined if the list no longer has the channel. */
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
