import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { ReadPicture } from '#shared/domain/market/picture-type.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import type { MainProvider } from '#shared/domain/market/provider.ts';
import type { Cadences } from '#shared/domain/polling/cadences.ts';
import type { CollectionPorts } from '#shared/http/find-collections.ts';
import type { CollectionStore } from '#shared/stores/collection-store.ts';
import type { ContractStore } from '#shared/stores/contract-store.ts';
import type { HistoryStore } from '#shared/stores/history-store.ts';
import type { PollProgressStore } from '#shared/stores/poll-progress-store.ts';
import type { RateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import type { WatchlistStore } from '#shared/stores/watchlist-store.ts';
import type { MainUpstream } from '#shared/use-cases/upstream.ts';

/** The ports of the routes about contracts, previews and health. */
export type ReadContractsPorts = Omit<CollectionPorts, 'findCollection'> & {
  /** The calls to the provider that searches for collections. */
  readonly search: CollectionPorts;
  /** Milliseconds until this invocation times out. */
  readonly remainingTime: () => number;
  readonly floorHistory: MainUpstream['floorHistory'];
  readonly configuredCadenceMinutes: number;
  /** The provider for which polls are planned. */
  readonly provider: MainProvider;
  /** Whether a provider with an independent data source can confirm floors. */
  readonly hasSecondSource: boolean;
  readonly getCadences: () => Promise<Cadences>;
  readonly getProgress: PollProgressStore['get'];
  readonly getRateLimiter: RateLimiterStore['get'];
  readonly watchlistsOf: WatchlistStore['ofTenant'];
  readonly getContract: ContractStore['get'];
  readonly getCollection: CollectionStore['get'];
  /** Reads a picture from a URL that the provider reported. */
  readonly readPicture: (address: string, signal: AbortSignal) => Promise<ReadPicture>;
  /** The retained prices between two moments, newest first. */
  readonly recordedBetween: (
    contract: ContractKey,
    series: PriceSeriesName,
    from: Instant,
    to: Instant,
    limit: number,
  ) => Promise<readonly PricePoint[]>;
  readonly pricesBetween: HistoryStore['between'];
  readonly recordedSince: HistoryStore['since'];
};
