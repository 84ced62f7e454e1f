import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { Skipped } from '#shared/domain/market/skipped.ts';
import type { SentContractMessage } from '#shared/domain/messages/contract-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { PollProgress } from '#shared/domain/polling/poll-progress.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import type { EventDetails, Report } from '#shared/domain/report.ts';
import type { CadenceStore } from '#shared/stores/cadence-store.ts';
import type { ContractStore } from '#shared/stores/contract-store.ts';
import type { HistoryStore } from '#shared/stores/history-store.ts';
import type { PollProgressStore } from '#shared/stores/poll-progress-store.ts';
import type { RateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import type { RateLimitedCalls } from '#shared/use-cases/rate-limited-call.ts';
import type { MainUpstream, Upstream } from '#shared/use-cases/upstream.ts';

/** A provider of prices with its rate limiter. */
export type PriceSource = RateLimitedCalls & {
  readonly limits: UpstreamLimits;
  readonly provider: Provider;
  readonly getRateLimiter: RateLimiterStore['get'];
  readonly upstream: Upstream;
};

/** The ports of the planner, including those of the first provider. */
export type PollPricesPorts = PriceSource & {
  /** Only the first provider must support the floor history. */
  readonly upstream: Pick<MainUpstream, 'floorHistory'>;
  /** The other providers, in the order in which they serve as a fallback and confirm floors. */
  readonly others: readonly PriceSource[];
  /** Milliseconds until this invocation times out. */
  readonly remainingTime: () => number;
  readonly cadenceMinutes: number;
  readonly getCadences: CadenceStore['cadences'];
  readonly noteCadences: CadenceStore['noteCadences'];
  readonly getProgress: () => Promise<PollProgress>;
  readonly putProgress: PollProgressStore['put'];
  readonly allContracts: ContractStore['all'];
  readonly getContract: ContractStore['get'];
  readonly putContract: ContractStore['put'];
  readonly recordHistory: HistoryStore['record'];
  readonly fillHistory: HistoryStore['fill'];
  readonly recordedSince: HistoryStore['since'];
  readonly sendToContracts: (messages: readonly Outgoing<SentContractMessage>[]) => Promise<void>;
  readonly report: Report<PollPricesEvents>;
};

export type PollPricesEvents = {
  readonly series_not_answered: EventDetails;
  /** Number of records that were left out of an answer, by reason. */
  readonly records_skipped: {
    readonly contract: ContractKey;
    readonly series: PriceSeriesName;
    readonly provider: Provider;
    readonly skipped: Skipped;
  };
  /**
   * Price series without a call in this pass, because no call was reserved or the planned time was
   * missed.
   */
  readonly contract_not_polled: {
    readonly contract: ContractKey;
    readonly series: readonly PriceSeriesName[];
  };
  /** A poll failed. The next pass repeats it. */
  readonly poll_failed: { readonly contract: ContractKey; readonly error: unknown };
  /** Messages to evaluate contracts were not sent. The next pass sends them. */
  readonly evaluation_not_sent: { readonly messages: number; readonly error: unknown };
  readonly floor_disputed: EventDetails;
};
