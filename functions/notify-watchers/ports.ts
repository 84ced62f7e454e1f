import type { Acknowledgement, EpisodeId } from '#shared/domain/alerting/acknowledgement.ts';
import type { PostAlertsPorts } from '#shared/domain/alerting/post-alerts.ts';
import type { AskedAddress } from '#shared/domain/channels/asked-address.ts';
import type { ChannelRecord } from '#shared/domain/channels/channel-record.ts';
import type { Subscriber, Subscriptions } from '#shared/domain/channels/subscriber.ts';
import type { Watch, WatchId } from '#shared/domain/evaluation/watch.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Report } from '#shared/domain/report.ts';
import type { ReadSome } from '#shared/domain/unreadable.ts';
import type {
  ChangeJob,
  ChangeTarget,
  ExpiryTarget,
} from '#shared/domain/watchlists/change-job.ts';
import type { Mutes } from '#shared/domain/watchlists/mute.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';

/** All that a list's actor reaches of the world. */
export type NotifyWatchersPorts = PostAlertsPorts & {
  /** A number that no two notes share. */
  readonly newVersion: () => number;
  /** Milliseconds until this invocation is ended. */
  readonly remainingTime: () => number;
  readonly stackSlack: 'on' | 'off';
  readonly getWatch: (id: WatchId) => Promise<Watch | undefined>;
  readonly putWatch: (watch: Watch) => Promise<Watch>;
  readonly deleteWatch: (watch: Watch) => Promise<void>;
  readonly getWatchlist: (id: WatchlistId) => Promise<Watchlist | undefined>;
  readonly putWatchlist: (list: Watchlist) => Promise<void>;
  readonly watchesOfList: (
    list: { readonly tenant: string; readonly list: string },
    contract: ContractKey,
  ) => Promise<readonly Watch[]>;
  readonly getMutes: (list: WatchlistId) => Promise<Mutes>;
  readonly getAcknowledgement: (episode: EpisodeId) => Promise<Acknowledgement | undefined>;
  readonly getChangeJob: (
    list: WatchlistId,
    target: ChangeTarget,
  ) => Promise<ChangeJob | undefined>;
  readonly expiryJobs: (list: WatchlistId) => Promise<readonly ExpiryTarget[]>;
  readonly putChangeJob: (pending: ChangeJob) => Promise<void>;
  readonly settleChangeJob: (pending: ChangeJob) => Promise<void>;
  /** Puts a note in the place of another; VersionConflictError where that is not there any more. */
  readonly replaceChangeJob: (before: ChangeJob, after: ChangeJob) => Promise<void>;
  /** What is known of a list's channels, also of those that it has no more. */
  readonly channelsOfList: (list: WatchlistId) => Promise<ReadSome<ChannelRecord>>;
  readonly getAddress: (tenant: string, address: string) => Promise<AskedAddress | undefined>;
  /** VersionConflictError where another list was quicker. */
  readonly putAddress: (asked: AskedAddress) => Promise<AskedAddress>;
  readonly hasTopic: (list: WatchlistId) => Promise<boolean>;
  /** Makes the list's topic have these subscribers and no others; none at all removes it. */
  readonly keepSubscribers: (
    list: WatchlistId,
    subscribers: readonly Subscriber[],
  ) => Promise<Subscriptions>;
  readonly report: Report<NotifyWatchersEvents>;
};

export type NotifyWatchersEvents = {
  /** Alerts of one watch, by their ids, that the inboxes of channels have now. */
  readonly outbox_emptied: WatchId & {
    readonly alerts: readonly string[];
    /** How long the oldest of them has waited for it. */
    readonly seconds: number;
  };
};
