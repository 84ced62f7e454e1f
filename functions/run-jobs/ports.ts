import type { Endpoint } from '#shared/channels/channel-kind.ts';
import type { Operators } from '#shared/domain/channels/destination-id.ts';
import type { Subscriber, Subscriptions } from '#shared/domain/channels/subscriber.ts';
import type { WalletAddress } from '#shared/domain/market/wallet.ts';
import type { EventDetails, Report } from '#shared/domain/report.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { AcknowledgementStore } from '#shared/stores/acknowledgement-store.ts';
import type { AddressStore } from '#shared/stores/address-store.ts';
import type { AlertStore } from '#shared/stores/alert-store.ts';
import type { ChannelStore } from '#shared/stores/channel-store.ts';
import type { CollectionStore } from '#shared/stores/collection-store.ts';
import type { HistoryStore } from '#shared/stores/history-store.ts';
import type { JobStore } from '#shared/stores/job-store.ts';
import type { ListTopicStore } from '#shared/stores/list-topic-store.ts';
import type { WatchStore } from '#shared/stores/watch-store.ts';
import type { WatchlistStore } from '#shared/stores/watchlist-store.ts';
import type { ChangeChannelPorts } from '#shared/use-cases/change-channel.ts';
import type { PostAlertsPorts } from '#shared/use-cases/post-alerts.ts';
import type { ReadNewestPorts } from '#shared/use-cases/read-newest.ts';
import type { WalletRead } from '#shared/use-cases/read-wallet.ts';
import type { WriteWatchlistPorts } from '#shared/use-cases/write-watchlist.ts';

/** The ports of a list's worker. */
export type RunJobsPorts = PostAlertsPorts &
  ChangeChannelPorts &
  ReadNewestPorts &
  Operators &
  Omit<WriteWatchlistPorts<string>, 'report'> & {
    /** Reads the holdings of a wallet within the tenant's daily share and the deadline. */
    readonly readWallet: (
      tenant: string,
      wallet: WalletAddress,
      deadlineMs: number,
    ) => Promise<WalletRead>;
    /** Milliseconds between two reads of a wallet. */
    readonly readWalletsEvery: number;
    /** Milliseconds until the invocation times out. */
    readonly remainingTime: () => number;
    readonly putWatchlist: WatchlistStore['put'];
    readonly getWatch: WatchStore['get'];
    readonly watchesOfList: WatchStore['ofList'];
    readonly valueAt: HistoryStore['valueAt'];
    readonly getCollection: CollectionStore['get'];
    readonly alertsOfList: AlertStore['ofList'];
    readonly getAcknowledgement: AcknowledgementStore['get'];
    readonly jobsOfKind: JobStore['ofKind'];
    readonly makeJob: JobStore['make'];
    readonly appliedTo: JobStore['appliedTo'];
    readonly settleJob: JobStore['settle'];
    readonly replaceJob: JobStore['replace'];
    readonly channelsOfList: ChannelStore['ofList'];
    readonly getAddress: AddressStore['get'];
    readonly putAddress: AddressStore['put'];
    readonly getTopics: ListTopicStore['get'];
    readonly putTopics: ListTopicStore['put'];
    readonly hasTopic: (list: WatchlistId, endpoint: Endpoint) => Promise<boolean>;
    /** Creates a topic and a subscription for each subscriber. */
    readonly keepSubscribers: (
      list: WatchlistId,
      subscribers: readonly Subscriber[],
    ) => Promise<Subscriptions>;
    /** Deletes the topics of endpoints; returns the endpoints that were confirmed. */
    readonly removeTopics: (
      list: WatchlistId,
      endpoints: readonly Endpoint[],
    ) => Promise<readonly string[]>;
    readonly report: Report<RunJobsEvents>;
  };

export type RunJobsEvents = {
  readonly change_not_sent: EventDetails;
  /** The reason why a wallet could not be read. The read is repeated. */
  readonly wallet_not_read: EventDetails;
};
