import type { Operators } from '#shared/domain/channels/destination-id.ts';
import type { Transition } from '#shared/domain/channels/transition.ts';
import type { UnreadableWatch, Watch, WatchId } from '#shared/domain/evaluation/watch.ts';
import type { Collection } from '#shared/domain/market/collection.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Part, PricePoint } from '#shared/domain/market/point.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { Skipped } from '#shared/domain/market/skipped.ts';
import type { SentContractMessage } from '#shared/domain/messages/contract-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { Page } from '#shared/domain/page.ts';
import type { ContractRecord, Timers, WakeKind } from '#shared/domain/polling/contract-record.ts';
import type { UpstreamCall } from '#shared/domain/polling/upstream-limits.ts';
import type { EventDetails, Report } from '#shared/domain/report.ts';
import type {
  IndexRange,
  ThresholdIndexName,
  ThresholdIndexPosition,
} from '#shared/domain/rules/threshold-index.ts';
import type { ReadSome } from '#shared/domain/unreadable.ts';
import type { Applied, ChangeJob, ChangeTarget } from '#shared/domain/watchlists/change-job.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { GovernedCalls } from '#shared/use-cases/governed-call.ts';
import type { RecordedSince } from '#shared/use-cases/read-snapshot.ts';
import type { SendHintsPorts } from '#shared/use-cases/send-hints.ts';
import type { MainUpstream, Upstream } from '#shared/use-cases/upstream.ts';

/** A provider of prices, with leave to call it. */
export type PriceSource = GovernedCalls & {
  readonly provider: Provider;
  readonly upstream: Pick<Upstream, 'floorHistory' | 'lowestTrade' | 'salesBetween'>;
  /** Takes the one try of an open breaker for a planned call; returns whether it may be made. */
  readonly takeTry: (call: UpstreamCall) => Promise<boolean>;
};

/** The ports of a contract's actor, the first provider among them. */
export type RunContractsPorts = PriceSource &
  Omit<SendHintsPorts, 'messagesTo'> &
  Operators & {
    /** Writes that one transaction may have. */
    readonly writesOfTransaction: number;
    /** It reports floors, and of the past too. */
    readonly upstream: Pick<MainUpstream, 'floorHistory'>;
    /** The other providers, in the order in which they replace it and give a second opinion. */
    readonly others: readonly PriceSource[];
    /** Milliseconds until this invocation times out. */
    readonly remainingTime: () => number;
    readonly getContract: (contract: ContractKey) => Promise<ContractRecord | undefined>;
    /** The stored name of a contract; undefined if none is stored. */
    readonly getCollection: (contract: ContractKey) => Promise<Collection | undefined>;
    readonly putContract: (record: ContractRecord) => Promise<ContractRecord>;
    readonly recordHistory: (
      contract: ContractKey,
      part: Part,
      points: readonly PricePoint[],
    ) => Promise<void>;
    readonly fillHistory: (contract: ContractKey, floors: readonly PricePoint[]) => Promise<void>;
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
    readonly getChangeJob: (
      list: WatchlistId,
      target: ChangeTarget,
    ) => Promise<ChangeJob | undefined>;
    readonly noteApplied: (list: WatchlistId, applied: Applied) => Promise<void>;
    readonly settleChangeJob: (pending: ChangeJob) => Promise<void>;
    readonly sendToContracts: (messages: readonly Outgoing<SentContractMessage>[]) => Promise<void>;
    readonly report: Report<RunContractsEvents>;
  };

export type RunContractsEvents = {
  readonly part_not_answered: EventDetails;
  /** The number of records that one answer left out, by reason. */
  readonly records_skipped: {
    readonly contract: ContractKey;
    readonly part: Part;
    readonly provider: Provider;
    readonly skipped: Skipped;
  };
  readonly contract_not_polled: EventDetails;
  readonly floor_disputed: EventDetails;
  readonly evaluation_continued: EventDetails;
  /** The ids of the alerts that a watch has posted. */
  readonly alerts_made: WatchId & { readonly alerts: readonly string[] };
  readonly watch_evaluation_failed: EventDetails;
  readonly history_unreadable: EventDetails;
};
