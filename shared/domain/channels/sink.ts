import * as z from 'zod';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';

/** What gets every alert of the stack, for its operators. */
export const StackSink = z.enum(['stack-topic', 'stack-slack']);
export type StackSink = z.output<typeof StackSink>;

/** Where alerts go: to the operators, or to one channel of a list, `<tenant>#<list>#<channel>`. */
export const Sink = z.union([
  StackSink,
  z.templateLiteral([z.string(), '#', z.string(), '#', z.string()]),
]);
export type Sink = z.output<typeof Sink>;

/** A channel's name everywhere. */
export type ChannelId = { readonly list: WatchlistId; readonly channel: string };

export function channelSink({ tenant, id }: WatchlistId, channel: string): Sink {
  return `${tenant}#${id}#${channel}`;
}

/** The channel that a sink is; undefined for one of the operators'. */
export function channelOf(sink: Sink): ChannelId | undefined {
  const [tenant = '', id, channel] = sink.split('#');
  return id === undefined || channel === undefined ? undefined : { list: { tenant, id }, channel };
}

type Channelled = WatchlistId & { readonly channels: readonly { readonly id: string }[] };

/** The sinks that an alert of a list goes to. */
export function sinksOf(list: Channelled, stackSlack: 'on' | 'off'): readonly Sink[] {
  return [
    'stack-topic',
    ...(stackSlack === 'on' ? (['stack-slack'] as const) : []),
    ...list.channels.map(({ id }) => channelSink(list, id)),
  ];
}
