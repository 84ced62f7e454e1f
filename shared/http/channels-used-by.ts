import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { ChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import type { ReadSome } from '#shared/domain/unreadable.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Own } from './caller.ts';
import { contactPointsOf } from './contact-points.ts';
import type { Lists } from './existing-watchlist.ts';

type Ports = Lists & {
  readonly channelsOfList: (list: Own<WatchlistId>) => Promise<ReadSome<ChannelRecord>>;
};

type UsedChannel = {
  readonly channel: Watchlist['channels'][number];
  readonly destinationId: DestinationId;
  readonly record: ChannelRecord | undefined;
};

/** The channels of a list with their records: its contact points and its own channels. */
export async function channelsUsedBy(ports: Ports, list: Own<Watchlist>) {
  const owners = [
    ...(list.contactPoints.length > 0 ? [await contactPointsOf(ports, list.tenant)] : []),
    list,
  ];
  const found = await Promise.all(
    owners.map(async (owner) => {
      const { entries, unreadable } = await ports.channelsOfList(owner);
      const used = owner.channels.filter(
        ({ id }) => owner === list || list.contactPoints.includes(id),
      );
      const channels = used.map((channel): UsedChannel => {
        const destinationId = channelDestinationId(owner, channel.id);
        const record = entries.find((entry) => entry.destinationId === destinationId);
        return { channel, destinationId, record };
      });
      return { channels, unreadable };
    }),
  );
  return {
    channels: found.flatMap(({ channels }) => channels),
    unreadable: found.flatMap(({ unreadable }) => unreadable),
  };
}
