import type { ServeApiOutside, Shared } from '#functions/serve-api/outside.ts';
import { createPictureReader } from '#shared/clients/picture-reader.ts';
import { hasSecondSource } from '#shared/runtime/upstream-variables.ts';
import { createCollectionStore } from '#shared/stores/collection-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createPollProgressStore } from '#shared/stores/poll-progress-store.ts';
import { createRateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import type { ReadContractsPorts } from './ports.ts';

export function composeContracts(
  outside: ServeApiOutside,
  { environment, table, getCadences, providers }: Shared,
): Omit<ReadContractsPorts, 'remainingTime'> {
  const { now, httpClient } = outside;
  const { UPSTREAM_PROVIDER: first } = environment;
  const http = httpClient({ deadlineMs: 8000, maxBodyBytes: 4 * 1024 * 1024, maxConnections: 2 });
  const history = createHistoryStore(table);
  return {
    ...providers.callsOfFirst,
    configuredCadenceMinutes: environment.POLL_CADENCE_MINUTES,
    provider: environment.UPSTREAM_PROVIDER,
    hasSecondSource: hasSecondSource(environment),
    floorHistory: outside.upstream(first, providers.settingsOfFirst(http)).floorHistory,
    readPicture: createPictureReader({ destinations: environment.WEBHOOK_DESTINATIONS }),
    search: providers.searchBy(http),
    getCadences,
    getProgress: createPollProgressStore(table).get,
    getRateLimiter: createRateLimiterStore(table, first).get,
    watchlistsOf: createWatchlistStore(table).ofTenant,
    getContract: createContractStore(table, now).get,
    getCollection: createCollectionStore(table).get,
    recordedBetween: (contract, series, from, to, limit) =>
      history.newest(contract, series, { from, to, each: 'point', limit }),
    pricesBetween: history.between,
    recordedSince: history.since,
  };
}
