import type { Collection } from '#shared/domain/market/collection.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { ReadPicture } from '#shared/domain/market/picture-type.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { Part } from '#shared/domain/market/price-series.ts';
import type { Cadences } from '#shared/domain/polling/cadences.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import type { GovernorRecord } from '#shared/domain/polling/governor.ts';
import type { PollProgress } from '#shared/domain/polling/poll-progress.ts';
import type { ReadPage } from '#shared/domain/unreadable.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import type { CallerTenant } from '#shared/http/caller.ts';
import type { CollectionPorts } from '#shared/http/find-collections.ts';
import type { RecordedSince } from '#shared/use-cases/read-snapshot.ts';
import type { MainUpstream } from '#shared/use-cases/upstream.ts';

/** The ports of the routes about contracts, previews and health. */
export type ReadContractsPorts = Omit<CollectionPorts, 'findCollection'> & {
  /** The calls of the provider at which collections are searched. */
  readonly search: CollectionPorts;
  /** Milliseconds until this invocation times out. */
  readonly remainingTime: () => number;
  readonly floorHistory: MainUpstream['floorHistory'];
  readonly configuredCadenceMinutes: number;
  /** Whether a provider of another origin may confirm floors. */
  readonly hasSecondSource: boolean;
  readonly getCadences: () => Promise<Cadences>;
  readonly getProgress: () => Promise<PollProgress | undefined>;
  readonly getGovernor: () => Promise<GovernorRecord>;
  readonly watchlistsOf: (
    tenant: CallerTenant,
    limit: number,
    after: string | undefined,
  ) => Promise<ReadPage<Watchlist>>;
  readonly getContract: (contract: ContractKey) => Promise<ContractRecord | undefined>;
  /** What a contract is called, as far as it is remembered. */
  readonly getCollection: (contract: ContractKey) => Promise<Collection | undefined>;
  /** The picture at an address that the provider has reported. */
  readonly readPicture: (address: string, signal: AbortSignal) => Promise<ReadPicture>;
  /** Recorded prices between two moments, newest first: all points that are still kept. */
  readonly recordedBetween: (
    contract: ContractKey,
    part: Part,
    from: Instant,
    to: Instant,
    limit: number,
  ) => Promise<readonly PricePoint[]>;
  /** All recorded prices of a span, oldest first, after the one that held before. */
  readonly pricesBetween: (
    contract: ContractKey,
    part: Part,
    from: Instant,
    to: Instant,
  ) => Promise<readonly PricePoint[]>;
  readonly recordedSince: RecordedSince;
};
