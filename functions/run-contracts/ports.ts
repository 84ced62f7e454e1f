import type { Operators } from '#shared/domain/channels/destination-id.ts';
import type { WatchId } from '#shared/domain/evaluation/watch.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { SentContractMessage } from '#shared/domain/messages/contract-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { EventDetails, Report } from '#shared/domain/report.ts';
import type { CollectionStore } from '#shared/stores/collection-store.ts';
import type { ContractStore } from '#shared/stores/contract-store.ts';
import type { HistoryStore } from '#shared/stores/history-store.ts';
import type { JobStore } from '#shared/stores/job-store.ts';
import type { WatchStore } from '#shared/stores/watch-store.ts';
import type { WatchlistStore } from '#shared/stores/watchlist-store.ts';
import type { ChannelWakerPorts } from '#shared/use-cases/wake-channels.ts';

/** The ports of a contract's worker. */
export type RunContractsPorts = Omit<ChannelWakerPorts, 'messagesTo'> &
  Operators & {
    readonly now: () => Instant;
    /** The maximum number of writes in a transaction. */
    readonly writesOfTransaction: number;
    /** Milliseconds until the invocation times out. */
    readonly remainingTime: () => number;
    readonly getContract: ContractStore['get'];
    readonly getCollection: CollectionStore['get'];
    readonly putContract: ContractStore['put'];
    readonly recordHistory: HistoryStore['record'];
    readonly recordedSince: HistoryStore['since'];
    readonly watchesReached: WatchStore['reached'];
    readonly watchesWoken: WatchStore['woken'];
    readonly earliestTimers: WatchStore['earliestTimers'];
    readonly watchesOfList: WatchStore['allOfList'];
    readonly isWatchedBy: WatchStore['isWatchedBy'];
    readonly thresholdIndexesNeeded: WatchStore['thresholdIndexesNeeded'];
    readonly getWatch: WatchStore['get'];
    readonly putWatch: WatchStore['put'];
    readonly commitWatch: WatchStore['commit'];
    readonly deleteWatch: WatchStore['delete'];
    readonly getWatchlist: WatchlistStore['get'];
    readonly getJob: JobStore['get'];
    readonly noteApplied: JobStore['noteApplied'];
    readonly settleJob: JobStore['settle'];
    readonly sendToContracts: (messages: readonly Outgoing<SentContractMessage>[]) => Promise<void>;
    readonly report: Report<RunContractsEvents>;
  };

export type RunContractsEvents = {
  readonly evaluation_continued: EventDetails;
  /** The ids of the alerts that a watch has posted. */
  readonly alerts_made: WatchId & { readonly alerts: readonly string[] };
  readonly watch_evaluation_failed: EventDetails;
  readonly history_unreadable: EventDetails;
};
