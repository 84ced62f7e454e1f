import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { Part } from '#shared/domain/market/price-series.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { Skipped } from '#shared/domain/market/skipped.ts';
import type { SentContractMessage } from '#shared/domain/messages/contract-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { Cadences } from '#shared/domain/polling/cadences.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import type { GovernorRecord } from '#shared/domain/polling/governor.ts';
import type { Charge, PollProgress } from '#shared/domain/polling/poll-progress.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import type { EventDetails, Report } from '#shared/domain/report.ts';
import type { GovernedCalls } from '#shared/use-cases/governed-call.ts';
import type { RecordHistory } from '#shared/use-cases/record-history.ts';
import type { MainUpstream, Upstream } from '#shared/use-cases/upstream.ts';

/** A provider of prices, with its account and with permission to call it. */
export type PriceSource = GovernedCalls & {
  readonly limits: UpstreamLimits;
  readonly provider: Provider;
  readonly getGovernor: () => Promise<GovernorRecord>;
  readonly upstream: Upstream;
};

/** The ports of the planner, with those of the first provider. */
export type PollPricesPorts = PriceSource & {
  /** It reports floors, and those of the past too. */
  readonly upstream: Pick<MainUpstream, 'floorHistory'>;
  /** The other providers, in the order in which they replace the first and give a second opinion. */
  readonly others: readonly PriceSource[];
  /** Milliseconds until this invocation times out. */
  readonly remainingTime: () => number;
  readonly cadenceMinutes: number;
  readonly getCadences: () => Promise<Cadences>;
  readonly noteCadences: (cadences: Cadences) => Promise<void>;
  readonly getProgress: () => Promise<PollProgress>;
  /**
   * Writes progress, together with the charge for the calls that it claims. Throws
   * VersionConflictError if another pass, or another caller of the charged provider, was faster.
   */
  readonly putProgress: (progress: PollProgress, charge?: Charge) => Promise<PollProgress>;
  readonly allContracts: () => Promise<{
    readonly records: readonly ContractRecord[];
    readonly unreadable: readonly string[];
  }>;
  readonly getContract: (contract: ContractKey) => Promise<ContractRecord | undefined>;
  readonly putContract: (record: ContractRecord) => Promise<ContractRecord>;
  readonly recordHistory: RecordHistory;
  readonly fillHistory: (contract: ContractKey, floors: readonly PricePoint[]) => Promise<void>;
  readonly sendToContracts: (messages: readonly Outgoing<SentContractMessage>[]) => Promise<void>;
  readonly report: Report<PollPricesEvents>;
};

export type PollPricesEvents = {
  readonly part_not_answered: EventDetails;
  /** The number of records that one answer left out, by reason. */
  readonly records_skipped: {
    readonly contract: ContractKey;
    readonly part: Part;
    readonly provider: Provider;
    readonly skipped: Skipped;
  };
  /** Parts of a contract without a call in this pass: there was no slot, or the slot was missed. */
  readonly contract_not_polled: { readonly contract: ContractKey; readonly parts: readonly Part[] };
  /** A poll failed. The next pass repeats it. */
  readonly poll_failed: { readonly contract: ContractKey; readonly error: unknown };
  /** Messages to evaluate contracts could not be sent. The next pass sends them. */
  readonly evaluation_not_sent: { readonly messages: number; readonly error: unknown };
  readonly floor_disputed: EventDetails;
};
