import * as z from 'zod';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';

/** What gets every alert of the stack, for its operators. */
export const StackDestinationId = z.enum(['stack-topic', 'stack-slack']);
export type StackDestinationId = z.output<typeof StackDestinationId>;

/** Where alerts go: to the operators, or to one channel of a list, `<tenant>#<list>#<channel>`. */
export const DestinationId = z.union([
  StackDestinationId,
  z.templateLiteral([z.string(), '#', z.string(), '#', z.string()]),
]);
export type DestinationId = z.output<typeof DestinationId>;

/** A channel's name everywhere. */
export type ChannelId = { readonly list: WatchlistId; readonly channel: string };

export function channelDestinationId({ tenant, id }: WatchlistId, channel: string): DestinationId {
  return `${tenant}#${id}#${channel}`;
}

/** The channel that a destination is; undefined for one of the operators'. */
export function channelOf(destinationId: DestinationId): ChannelId | undefined {
  const [tenant = '', id, channel] = destinationId.split('#');
  return id === undefined || channel === undefined ? undefined : { list: { tenant, id }, channel };
}

type Channelled = WatchlistId & { readonly channels: readonly { readonly id: string }[] };

/** The destinations that an alert of a list goes to. */
export function destinationIdsOf(
  list: Channelled,
  stackSlack: 'on' | 'off',
): readonly DestinationId[] {
  return [
    'stack-topic',
    ...(stackSlack === 'on' ? (['stack-slack'] as const) : []),
    ...list.channels.map(({ id }) => channelDestinationId(list, id)),
  ];
}
