import { acknowledgedBy } from '#shared/channels/channel.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { channelOf, destinationIdsOfEscalation } from '#shared/domain/channels/destination-id.ts';
import type { Watch } from '#shared/domain/evaluation/watch.ts';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Of } from './commit-change.ts';

/**
 * The destinations that can show an acknowledgement of an open episode silently in a message. They
 * got alerts of the episode, or the episode may be escalated to them.
 */
export async function destinationIdsShowing<Tenant extends string>(
  ports: { readonly getWatchlist: (id: Of<Tenant, WatchlistId>) => Promise<Watchlist | undefined> },
  list: Watchlist,
  { tenant, notified = [] }: Of<Tenant, Watch>,
): Promise<readonly DestinationId[]> {
  const shared =
    list.contactPoints.length === 0
      ? undefined
      : await ports.getWatchlist({ tenant, id: CONTACT_POINTS });
  const lists = [list, ...(shared === undefined ? [] : [shared])];
  return [...new Set([...notified, ...destinationIdsOfEscalation(list)])].filter(
    (destinationId) => {
      const named = channelOf(destinationId);
      const channel = lists
        .find((one) => one.id === named?.list.id)
        ?.channels.find((one) => one.id === named?.channel);
      return channel !== undefined && acknowledgedBy(channel) !== 'nowhere';
    },
  );
}
