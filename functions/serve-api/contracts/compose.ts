import type { ServeApiOutside, Shared } from '#functions/serve-api/outside.ts';
import { createPictureReader } from '#shared/clients/picture-reader.ts';
import { createUpstreamGovernor } from '#shared/clients/upstream-governor.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { createCallCounter } from '#shared/http/count-calls.ts';
import { collectionSearch, searchProvider } from '#shared/providers/collection-search.ts';
import {
  type ConfiguredProvider,
  hasSecondSource,
  providersOf,
} from '#shared/runtime/upstream-variables.ts';
import { CADENCE_KEPT_FOR, createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createCollectionStore } from '#shared/stores/collection-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createPollProgressStore } from '#shared/stores/poll-progress-store.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { remembered } from '#shared/use-cases/remembered.ts';
import type { ReadContractsPorts } from './ports.ts';

export function composeContracts(
  outside: ServeApiOutside,
  { environment, table }: Shared,
): Omit<ReadContractsPorts, 'remainingTime'> {
  const { now, sleepUntil, httpClient, secret } = outside;
  const providers = providersOf(environment);
  const [{ limits, ...first }] = providers;
  const searched = searchProvider(providers);
  const http = httpClient({
    deadlineMs: 8000,
    maxBodyBytes: 4 * 1024 * 1024,
    maxConnections: 2,
  });
  const settingsOf = ({ url, keyParameter }: Pick<ConfiguredProvider, 'url' | 'keyParameter'>) => ({
    ...{ http, now, baseUrl: url, apiKey: secret(keyParameter) },
  });

  const governorOf = (one: UpstreamLimits) => {
    const records = createGovernorStore(table, one.provider);
    const { lease, learn } = createUpstreamGovernor(records, 'interface', one, now);
    return { leaseCalls: lease, learnOfCall: learn };
  };
  const history = createHistoryStore(table);
  const takeCall = createCallCounter({ now, limits, usage: createUsageStore(table, 'provider') });
  return {
    ...{ now, sleepUntil, takeCall },
    ...governorOf(limits),
    configuredCadenceMinutes: environment.POLL_CADENCE_MINUTES,
    hasSecondSource: hasSecondSource(environment),
    floorHistory: outside.upstream(environment.UPSTREAM_PROVIDER, settingsOf(first)).floorHistory,
    readPicture: createPictureReader({ destinations: environment.WEBHOOK_DESTINATIONS }),
    search: {
      ...{ now, sleepUntil, takeCall },
      ...governorOf(searched?.limits ?? limits),
      findCollection: searched && collectionSearch(searched.limits.provider, settingsOf(searched)),
    },
    getCadences: remembered(createCadenceStore(table).cadences, CADENCE_KEPT_FOR, now),
    getProgress: createPollProgressStore(table).get,
    getGovernor: createGovernorStore(table, limits.provider).get,
    watchlistsOf: createWatchlistStore(table).ofTenant,
    getContract: createContractStore(table, now).get,
    getCollection: createCollectionStore(table).get,
    recordedBetween: (contract, part, from, to, limit) =>
      history.newest(contract, part, { from, to, each: 'point', limit }),
    pricesBetween: history.between,
    recordedSince: history.since,
  };
}
