import type { Endpoint } from '#shared/channels/channel-kind.ts';
import type { Acknowledgement, EpisodeId } from '#shared/domain/alerting/acknowledgement.ts';
import type { AlertRecord } from '#shared/domain/channels/alert-record.ts';
import type { AskedAddress } from '#shared/domain/channels/asked-address.ts';
import type { ChannelRecord } from '#shared/domain/channels/channel-record.ts';
import type { Operators } from '#shared/domain/channels/destination-id.ts';
import type { ListTopics } from '#shared/domain/channels/list-topic.ts';
import type { Subscriber, Subscriptions } from '#shared/domain/channels/subscriber.ts';
import type { Watch, WatchId } from '#shared/domain/evaluation/watch.ts';
import type { Collection } from '#shared/domain/market/collection.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { Part } from '#shared/domain/market/price-series.ts';
import type { WalletAddress } from '#shared/domain/market/wallet.ts';
import type { EventDetails, Report } from '#shared/domain/report.ts';
import type { ReadPage, ReadSome } from '#shared/domain/unreadable.ts';
import type { Applied, Job, JobKind } from '#shared/domain/watchlists/job.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { ChangeChannelPorts } from '#shared/use-cases/change-channel.ts';
import type { PostAlertsPorts } from '#shared/use-cases/post-alerts.ts';
import type { ReadNewestPorts } from '#shared/use-cases/read-newest.ts';
import type { WalletRead } from '#shared/use-cases/read-wallet.ts';
import type { WriteWatchlistPorts } from '#shared/use-cases/write-watchlist.ts';

/** The ports of a list's actor. */
export type RunJobsPorts = PostAlertsPorts &
  ChangeChannelPorts &
  ReadNewestPorts &
  Operators &
  Omit<WriteWatchlistPorts<string>, 'report'> & {
    /** Reads what a wallet holds, within the daily share of the tenant and so many milliseconds. */
    readonly readWallet: (
      tenant: string,
      wallet: WalletAddress,
      deadlineMs: number,
    ) => Promise<WalletRead>;
    /** Milliseconds between two readings of a wallet. */
    readonly readWalletsEvery: number;
    /** Milliseconds until this invocation times out. */
    readonly remainingTime: () => number;
    readonly putWatchlist: (list: Watchlist) => Promise<void>;
    readonly getWatch: (id: WatchId) => Promise<Watch | undefined>;
    readonly watchesOfList: (
      list: { readonly tenant: string; readonly list: string },
      contract: ContractKey,
    ) => Promise<readonly Watch[]>;
    /** The last points of a part at or before a moment, oldest first. */
    readonly heldAt: (
      contract: ContractKey,
      part: Part,
      instant: Instant,
    ) => Promise<readonly PricePoint[]>;
    readonly getCollection: (contract: ContractKey) => Promise<Collection | undefined>;
    /** The alerts of a list between two moments, newest first. */
    readonly alertsOfList: (
      list: WatchlistId,
      query: {
        readonly from: string;
        readonly to: string;
        readonly limit: number;
        readonly after: string | undefined;
      },
    ) => Promise<ReadPage<AlertRecord>>;
    readonly getAcknowledgement: (episode: EpisodeId) => Promise<Acknowledgement | undefined>;
    readonly jobsOfKind: (list: WatchlistId, kind: JobKind) => Promise<readonly Job[]>;
    /** Makes a job where its target has none. Returns the one that is there then, made or found. */
    readonly makeJob: (job: Job) => Promise<Job | undefined>;
    /** What is noted of the contracts that follow the list. */
    readonly appliedTo: (list: WatchlistId) => Promise<readonly Applied[]>;
    readonly settleJob: (pending: Job) => Promise<void>;
    /** Replaces a job; throws VersionConflictError if another one is stored. */
    readonly replaceJob: (before: Job, after: Job) => Promise<void>;
    /** The records of a list's channels, also of removed ones. */
    readonly channelsOfList: (list: WatchlistId) => Promise<ReadSome<ChannelRecord>>;
    readonly getAddress: (tenant: string, address: string) => Promise<AskedAddress | undefined>;
    /** Throws VersionConflictError if another list was first. */
    readonly putAddress: (asked: AskedAddress) => Promise<AskedAddress>;
    readonly getTopics: (list: WatchlistId) => Promise<ListTopics>;
    /** Throws VersionConflictError if the endpoints have changed since they were read. */
    readonly putTopics: (topics: ListTopics) => Promise<void>;
    readonly hasTopic: (list: WatchlistId, endpoint: Endpoint) => Promise<boolean>;
    /** Gives each subscriber a topic and a subscription. */
    readonly keepSubscribers: (
      list: WatchlistId,
      subscribers: readonly Subscriber[],
    ) => Promise<Subscriptions>;
    /** Deletes the topics of endpoints; returns the endpoints that had confirmed. */
    readonly removeTopics: (
      list: WatchlistId,
      endpoints: readonly Endpoint[],
    ) => Promise<readonly string[]>;
    readonly report: Report<RunJobsEvents>;
  };

export type RunJobsEvents = {
  readonly change_not_sent: EventDetails;
  /** Why a wallet could not be read; it is asked for again. */
  readonly wallet_not_read: EventDetails;
};
