import type { Endpoint } from '#shared/channels/channel-kind.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { InboxEntry } from '#shared/domain/channels/alert-record.ts';
import type { ChannelRecord } from '#shared/domain/channels/channel-record.ts';
import type { Confirmation } from '#shared/domain/channels/subscriber.ts';
import type { ReadSome } from '#shared/domain/unreadable.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { CallerTenant, Own } from '#shared/http/caller.ts';
import type { IdempotencyPorts } from '#shared/http/idempotency.ts';
import type { ChangeChannelPorts } from '#shared/use-cases/change-channel.ts';
import type { CommitChangePorts } from '#shared/use-cases/commit-change.ts';
import type { ChannelWakerPorts } from '#shared/use-cases/wake-channels.ts';

/** The ports of the routes about the state of channels. */
export type ManageChannelsPorts = ChannelWakerPorts &
  CommitChangePorts<CallerTenant> &
  ChangeChannelPorts &
  IdempotencyPorts & {
    readonly getWatchlist: (id: Own<WatchlistId>) => Promise<Watchlist | undefined>;
    /** The number of contracts to which the list's revision is not applied yet. */
    readonly countPendingChanges: (list: Own<WatchlistId>) => Promise<number>;
    readonly channelsOfList: (list: Own<WatchlistId>) => Promise<ReadSome<ChannelRecord>>;
    readonly oldestInInbox: (
      destinationId: DestinationId,
      limit: number,
    ) => Promise<readonly InboxEntry[]>;
    /** The ARN of the topic of an endpoint. The topic need not exist. */
    readonly topicOf: (list: Own<WatchlistId>, endpoint: Endpoint) => string;
    /** Confirms the subscription of an endpoint; undefined if SNS rejects the token. */
    readonly confirm: (
      list: Own<WatchlistId>,
      endpoint: Endpoint,
      token: string,
    ) => Promise<Confirmation | undefined>;
  };
