import type { Operators } from '#shared/domain/channels/destination-id.ts';
import type { Transition } from '#shared/domain/channels/transition.ts';
import type { UnreadableWatch, Watch, WatchId } from '#shared/domain/evaluation/watch.ts';
import type { Collection } from '#shared/domain/market/collection.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { SentContractMessage } from '#shared/domain/messages/contract-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { Page } from '#shared/domain/page.ts';
import type { ContractRecord, Timers, WakeKind } from '#shared/domain/polling/contract-record.ts';
import type { EventDetails, Report } from '#shared/domain/report.ts';
import type {
  IndexRange,
  ThresholdIndexName,
  ThresholdIndexPosition,
} from '#shared/domain/rules/threshold-index.ts';
import type { ReadSome } from '#shared/domain/unreadable.ts';
import type { Applied, Job, JobTarget } from '#shared/domain/watchlists/job.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { RecordedSince } from '#shared/use-cases/read-snapshot.ts';
import type { RecordHistory } from '#shared/use-cases/record-history.ts';
import type { SendHintsPorts } from '#shared/use-cases/send-hints.ts';

/** The ports of a contract's actor. */
export type RunContractsPorts = Omit<SendHintsPorts, 'messagesTo'> &
  Operators & {
    readonly now: () => Instant;
    /** Writes that one transaction may have. */
    readonly writesOfTransaction: number;
    /** Milliseconds until this invocation times out. */
    readonly remainingTime: () => number;
    readonly getContract: (contract: ContractKey) => Promise<ContractRecord | undefined>;
    /** The stored name of a contract; undefined if none is stored. */
    readonly getCollection: (contract: ContractKey) => Promise<Collection | undefined>;
    readonly putContract: (record: ContractRecord) => Promise<ContractRecord>;
    readonly recordHistory: RecordHistory;
    readonly recordedSince: RecordedSince;
    readonly watchesReached: (
      indexRange: IndexRange,
      after: ThresholdIndexPosition | undefined,
    ) => Promise<Page<WatchId, ThresholdIndexPosition>>;
    /** The watches whose timers of a kind have come by then, the earliest first. */
    readonly watchesWoken: (
      contract: ContractKey,
      kind: WakeKind,
      until: Instant,
      after: ThresholdIndexPosition | undefined,
    ) => Promise<Page<WatchId, ThresholdIndexPosition>>;
    /** The earliest timer of each kind, of all watches of the contract. */
    readonly earliestTimers: (contract: ContractKey) => Promise<Timers>;
    readonly watchesOfList: (
      list: { readonly tenant: string; readonly list: string },
      contract: ContractKey,
    ) => Promise<ReadSome<Watch, UnreadableWatch>>;
    /** Whether any list of a tenant has a watch on the contract that waits for its data. */
    readonly isWatchedBy: (tenant: string, contract: ContractKey) => Promise<boolean>;
    /**
     * The threshold indexes that the contract's watches need, one page of watches at a time. Throws
     * UnreadableError if a watch of the page cannot be read.
     */
    readonly thresholdIndexesNeeded: (
      contract: ContractKey,
      after: string | undefined,
    ) => Promise<Page<ThresholdIndexName, string>>;
    readonly getWatch: (id: WatchId) => Promise<Watch | undefined>;
    readonly putWatch: (watch: Watch) => Promise<Watch>;
    /** Writes a watch together with what follows from its transition. */
    readonly commitWatch: (transition: Transition) => Promise<Watch>;
    readonly deleteWatch: (watch: WatchId & Pick<Watch, 'version'>) => Promise<void>;
    readonly getWatchlist: (id: WatchlistId) => Promise<Watchlist | undefined>;
    readonly getJob: (list: WatchlistId, target: JobTarget) => Promise<Job | undefined>;
    readonly noteApplied: (list: WatchlistId, applied: Applied) => Promise<void>;
    readonly settleJob: (pending: Job) => Promise<void>;
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
