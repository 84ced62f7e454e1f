import type { HttpClient } from '#shared/clients/http-client.ts';
import { createUpstreamRateLimiter } from '#shared/clients/upstream-rate-limiter.ts';
import { createRequestCounter } from '#shared/http/count-request.ts';
import { collectionSearch, searchProvider } from '#shared/providers/collection-search.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { type ConfiguredProvider, providersOf } from '#shared/runtime/upstream-variables.ts';
import { CADENCE_KEPT_FOR, createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createRateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { createProviderShare } from '#shared/use-cases/daily-share.ts';
import { remembered } from '#shared/use-cases/remembered.ts';
import { composeContracts } from './contracts/compose.ts';
import { ServeApiEnvironment } from './environment.ts';
import { composeOperations } from './operations/compose.ts';
import type { ProviderCalls, ServeApiOutside, Shared } from './outside.ts';
import { composeWatchlists } from './watchlists/compose.ts';

/** Composes the ports of each resource, and the clients that these ports share. */
export function composeServeApi(outside: ServeApiOutside) {
  const { now } = outside;
  const environment = readEnvironment(ServeApiEnvironment, outside.variables);
  const table = outside.table(environment.WATCH_TABLE);
  const log = outside.logOf('serve-api');
  const counter = createRequestCounter({
    now,
    unitsPerMinute: environment.API_UNITS_PER_MINUTE,
    usage: createUsageStore(table, 'api'),
  });
  const getCadences = remembered(createCadenceStore(table).cadences, CADENCE_KEPT_FOR, now);
  const providers = providerCalls(outside, { environment, table });
  const shared: Shared = { environment, table, log, counter, getCadences, providers };
  return {
    ...shared,
    watchlists: composeWatchlists(outside, shared),
    contracts: composeContracts(outside, shared),
    operations: composeOperations(outside, shared),
  };
}

function providerCalls(
  { now, sleepUntil, secret }: ServeApiOutside,
  { environment, table }: Pick<Shared, 'environment' | 'table'>,
): ProviderCalls {
  const all = providersOf(environment);
  const [first] = all;
  const searched = searchProvider(all);
  const takeCall = createProviderShare({
    ...{ now, limits: first.limits },
    usage: createUsageStore(table, 'provider'),
  });
  const callsOf = ({ limits }: ConfiguredProvider) => {
    const records = createRateLimiterStore(table, limits.provider);
    const { reserve, learn } = createUpstreamRateLimiter(records, 'interface', limits, now);
    return { now, sleepUntil, takeCall, reserveCalls: reserve, learnOfCall: learn };
  };
  const settings = ({ url, keyParameter }: ConfiguredProvider, http: HttpClient) => ({
    ...{ http, now, baseUrl: url, apiKey: secret(keyParameter) },
  });
  return {
    all,
    callsOfFirst: callsOf(first),
    settingsOfFirst: (http) => settings(first, http),
    searchBy: (http) => ({
      ...callsOf(searched ?? first),
      findCollection:
        searched && collectionSearch(searched.limits.provider, settings(searched, http)),
    }),
  };
}
