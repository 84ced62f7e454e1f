import type { WebhookRules } from '#shared/channels/channel-kind.ts';
import type { RequestPolicy, UsedUnits } from '#shared/domain/access/request-units.ts';
import type { Acknowledgement, EpisodeId } from '#shared/domain/alerting/acknowledgement.ts';
import type { AlertKey } from '#shared/domain/alerting/alert.ts';
import type { AlertRecord } from '#shared/domain/channels/alert-record.ts';
import type { AskedAddress } from '#shared/domain/channels/asked-address.ts';
import type { ChannelRecord } from '#shared/domain/channels/channel-record.ts';
import type { SecretPlace } from '#shared/domain/channels/channel-secret.ts';
import type { Watch, WatchId } from '#shared/domain/evaluation/watch.ts';
import type { Collection } from '#shared/domain/market/collection.ts';
import type { Searched } from '#shared/domain/market/collection-search.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import type { MainProvider } from '#shared/domain/market/provider.ts';
import type { WalletAddress } from '#shared/domain/market/wallet.ts';
import type { SentContractMessage } from '#shared/domain/messages/contract-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { Cadences } from '#shared/domain/polling/cadences.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import type { PollProgress } from '#shared/domain/polling/poll-progress.ts';
import type { ReadPage, ReadSome } from '#shared/domain/unreadable.ts';
import type { Change, ChangedDocument } from '#shared/domain/watchlists/change.ts';
import type { Job, JobId, JobTarget } from '#shared/domain/watchlists/job.ts';
import type { Mutes } from '#shared/domain/watchlists/mute.ts';
import type { QuotaUsage } from '#shared/domain/watchlists/quota-usage.ts';
import type { Salvaged, Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { CallerTenant, Own } from '#shared/http/caller.ts';
import type { IdempotencyPorts } from '#shared/http/idempotency.ts';
import type { CommittedChange } from '#shared/use-cases/commit-change.ts';
import type { RecordedSince } from '#shared/use-cases/read-snapshot.ts';
import type { WalletRead } from '#shared/use-cases/read-wallet.ts';

/** The ports of the routes about watchlists. */
export type ManageWatchlistsPorts = IdempotencyPorts & {
  /** A unique number for a job or a change. */
  readonly newVersion: () => number;
  readonly configuredCadenceMinutes: number;
  /** The provider for which polls are planned. */
  readonly provider: MainProvider;
  /** Whether a provider with an independent data source can confirm floors. */
  readonly hasSecondSource: boolean;
  readonly getCadences: () => Promise<Cadences>;
  readonly webhooks: WebhookRules;
  /**
   * Seals a secret for a channel. Returns `known` if it already contains the same secret. Throws
   * ChannelKeyError if the key cannot be read.
   */
  readonly sealSecret: (
    place: SecretPlace,
    secret: string,
    known: string | undefined,
  ) => Promise<string>;
  /** The public key of the stack for Web Push. Throws ChannelKeyError if it is missing. */
  readonly getPushKey: () => Promise<string>;
  readonly getWatchlist: (id: Own<WatchlistId>) => Promise<Watchlist | undefined>;
  readonly watchlistsOf: (
    tenant: CallerTenant,
    limit: number,
    after: string | undefined,
  ) => Promise<ReadPage<Watchlist>>;
  /** The readable part of an unreadable list; undefined if nothing is readable. */
  readonly salvageWatchlist: (id: Own<WatchlistId>) => Promise<Salvaged | undefined>;
  /** The watched contracts of all tenants. */
  readonly watchedContracts: () => Promise<readonly ContractKey[]>;
  /** Request units that a tenant may spend per minute, by policy. */
  readonly requestUnitsPerMinute: Readonly<Record<RequestPolicy, number>>;
  readonly getUsedUnits: (
    tenant: CallerTenant,
    policy: RequestPolicy,
  ) => Promise<UsedUnits | undefined>;
  readonly getAddress: (tenant: CallerTenant, address: string) => Promise<AskedAddress | undefined>;
  /**
   * Charges new addresses to the daily allowance of a tenant. If the allowance is used up, returns
   * the seconds to wait.
   */
  readonly takeAddresses: (tenant: CallerTenant, units: number) => Promise<number | undefined>;
  /** Searches for a collection at the provider, within the daily share of the tenant. */
  readonly searchCollection: (
    tenant: CallerTenant,
    asked: string,
    signal: AbortSignal,
  ) => Promise<Searched>;
  /** Reads the holdings of a wallet, within the daily share of the tenant. */
  readonly readWallet: (
    tenant: CallerTenant,
    wallet: WalletAddress,
    signal: AbortSignal,
  ) => Promise<WalletRead>;
  /** The stored description of a collection. */
  readonly getCollection: (contract: ContractKey) => Promise<Collection | undefined>;
  readonly putCollection: (contract: ContractKey, collection: Collection) => Promise<void>;
  /** Charges further units after a request, when its cost is known. */
  readonly charge: (tenant: CallerTenant, units: number) => Promise<unknown>;
  readonly getQuotaUsage: (tenant: CallerTenant) => Promise<QuotaUsage>;
  readonly channelsOfList: (list: Own<WatchlistId>) => Promise<ReadSome<ChannelRecord>>;
  readonly getMutes: (list: Own<WatchlistId>) => Promise<Mutes>;
  readonly getJob: (list: Own<WatchlistId>, target: JobTarget) => Promise<Job | undefined>;
  readonly countPendingChanges: (list: Own<WatchlistId>) => Promise<number>;
  /**
   * Writes a change in one transaction. Throws VersionConflictError if the item that the change
   * replaces has changed in the meantime.
   */
  readonly commitChange: (change: CommittedChange<CallerTenant>) => Promise<void>;
  readonly getContract: (contract: ContractKey) => Promise<ContractRecord | undefined>;
  readonly recordedSince: RecordedSince;
  /** The last recorded prices of a series at or before an instant, oldest first. */
  readonly valueAt: (
    contract: ContractKey,
    series: PriceSeriesName,
    instant: Instant,
  ) => Promise<readonly PricePoint[]>;
  /** The progress of the polls. */
  readonly getProgress: () => Promise<PollProgress | undefined>;
  readonly watchesOfList: (
    list: Own<{ readonly tenant: string; readonly list: string }>,
    contract: ContractKey,
  ) => Promise<ReadSome<Watch>>;
  readonly watchesOfTenant: (
    tenant: CallerTenant,
    contract: ContractKey,
  ) => Promise<ReadSome<Watch>>;
  readonly getWatch: (id: Own<WatchId>) => Promise<Watch | undefined>;
  readonly getAlert: (key: Own<AlertKey>) => Promise<AlertRecord | undefined>;
  readonly acknowledgementsOf: (list: Own<WatchlistId>) => Promise<ReadSome<Acknowledgement>>;
  readonly getAcknowledgement: (episode: Own<EpisodeId>) => Promise<Acknowledgement | undefined>;
  /** The alerts of a list between two moments, newest first by default. */
  readonly alertsOf: (
    list: Own<WatchlistId>,
    query: {
      readonly from?: string | undefined;
      readonly to?: string | undefined;
      readonly limit: number;
      readonly after: string | undefined;
      readonly ascending?: boolean | undefined;
    },
  ) => Promise<ReadPage<AlertRecord>>;
  readonly sendToContracts: (messages: readonly Outgoing<SentContractMessage>[]) => Promise<void>;
  readonly sendToLists: (messages: readonly Outgoing<JobId>[]) => Promise<void>;
  readonly getChange: (change: Own<Pick<Change, 'tenant' | 'id'>>) => Promise<Change | undefined>;
  readonly getChangedDocument: (
    change: Own<Pick<Change, 'tenant' | 'id'>>,
  ) => Promise<ChangedDocument | undefined>;
  readonly changesOf: (
    tenant: CallerTenant,
    limit: number,
    after: string | undefined,
  ) => Promise<ReadPage<Change>>;
  readonly report: (event: 'change_not_sent', fields: Readonly<Record<string, unknown>>) => void;
};
