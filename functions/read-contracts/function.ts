import { createPictureReader } from '#shared/clients/picture-reader.ts';
import { apiFunction } from '#shared/http/api-function.ts';
import { createCallCounter } from '#shared/http/count-calls.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { collectionSearch, searchProvider } from '#shared/providers/collection-search.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import {
  type ConfiguredProvider,
  hasSecondSource,
  providersOf,
} from '#shared/runtime/upstream-variables.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { createHealthCheck } from './check-health.ts';
import { composeReadContracts } from './compose.ts';
import { ReadContractsEnvironment } from './environment.ts';
import { contractRoutes, readContracts } from './routes.ts';

export function readContractsFunction(
  outside: Basics & Pick<Outside, 'httpClient' | 'secret' | 'table' | 'upstream'>,
) {
  const { earlyAbortMs, now, sleepUntil, httpClient, secret } = outside;
  const environment = readEnvironment(ReadContractsEnvironment, outside.variables);
  const log = outside.logOf('read-contracts');
  const table = outside.table(environment.WATCH_TABLE);

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

  const ports = composeReadContracts({
    now,
    sleepUntil,
    table,
    limits,
    configuredCadenceMinutes: environment.POLL_CADENCE_MINUTES,
    hasSecondSource: hasSecondSource(environment),
    floorHistory: outside.upstream(environment.UPSTREAM_PROVIDER, settingsOf(first)).floorHistory,
    readPicture: createPictureReader({ destinations: environment.WEBHOOK_DESTINATIONS }),
    search: searched && {
      limits: searched.limits,
      findCollection: collectionSearch(searched.limits.provider, settingsOf(searched)),
    },
    takeCall: createCallCounter({ now, limits, usage: createUsageStore(table, 'provider') }),
  });
  const checkHealth = createHealthCheck(ports);

  return apiFunction(
    {
      earlyAbortMs,
      now,
      log,
      environment,
      routes: contractRoutes,
      usage: createUsageStore(table, 'api'),
    },
    (event, context, signal) => {
      const invocation = { ...ports, remainingTime: () => context.getRemainingTimeInMillis() };
      return readContracts({ ports: invocation, checkHealth }, event, signal);
    },
  );
}
