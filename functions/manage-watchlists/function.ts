import { createSeal } from '#shared/clients/sealer.ts';
import { createUpstreamGovernor } from '#shared/clients/upstream-governor.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { contractGroup, listGroup } from '#shared/domain/messages/groups.ts';
import { createCallCounter, createDailyCounter } from '#shared/http/count-calls.ts';
import { createRequestCounter } from '#shared/http/count-request.ts';
import { type CollectionPorts, searchCollection } from '#shared/http/find-collections.ts';
import { httpFunction } from '#shared/http/http-function.ts';
import { createCharging, limited } from '#shared/http/request-limit.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { collectionSearch, searchProvider } from '#shared/providers/collection-search.ts';
import { ANSWER_DEADLINE, within } from '#shared/providers/within.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import {
  type ConfiguredProvider,
  hasSecondSource,
  providersOf,
} from '#shared/runtime/upstream-variables.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { type ReadWalletPorts, readWallet } from '#shared/use-cases/read-wallet.ts';
import { composeManageWatchlists } from './compose.ts';
import { ManageWatchlistsEnvironment } from './environment.ts';
import { manageWatchlists, watchlistRoutes } from './routes.ts';

export function manageWatchlistsFunction(
  outside: Basics &
    Pick<Outside, 'holdingsReader' | 'httpClient' | 'secret' | 'senderTo' | 'table'>,
) {
  const { now, sleepUntil, httpClient, secret, senderTo } = outside;
  const environment = readEnvironment(ManageWatchlistsEnvironment, outside.variables);
  const log = outside.logOf('manage-watchlists');
  const table = outside.table(environment.WATCH_TABLE);
  const providers = providersOf(environment);
  const [first] = providers;
  const searched = searchProvider(providers);
  const http = httpClient({ deadlineMs: 8000, maxBodyBytes: 1024 * 1024, maxConnections: 1 });
  const settingsOf = ({ url, keyParameter }: ConfiguredProvider) => ({
    ...{ http, now, baseUrl: url, apiKey: secret(keyParameter) },
  });
  const callsOf = ({ limits }: ConfiguredProvider) => {
    const records = createGovernorStore(table, limits.provider);
    const { lease, learn } = createUpstreamGovernor(records, 'interface', limits, now);
    return { now, sleepUntil, leaseCalls: lease, learnOfCall: learn };
  };
  const takeCall = createCallCounter({
    ...{ now, limits: first.limits },
    usage: createUsageStore(table, 'provider'),
  });
  const wallets: ReadWalletPorts = {
    ...callsOf(first),
    takeCall,
    readHoldings: outside.holdingsReader(environment.UPSTREAM_PROVIDER, settingsOf(first)),
  };
  const collections: CollectionPorts = {
    ...callsOf(searched ?? first),
    takeCall,
    findCollection: searched && collectionSearch(searched.limits.provider, settingsOf(searched)),
  };
  const counter = createRequestCounter({
    now,
    unitsPerMinute: environment.API_UNITS_PER_MINUTE,
    usage: createUsageStore(table, 'api'),
  });

  const ports = composeManageWatchlists({
    now,
    newVersion: outside.uniqueNumber,
    newNumber: outside.uniqueNumber,
    table,
    configuredCadenceMinutes: environment.POLL_CADENCE_MINUTES,
    hasSecondSource: hasSecondSource(environment),
    webhooks: { destinations: environment.WEBHOOK_DESTINATIONS, ports: environment.WEBHOOK_PORTS },
    sealSecret: createSeal(secret(environment.CHANNEL_PUBLIC_KEY_PARAMETER)),
    requestUnitsPerMinute: {
      api: environment.API_UNITS_PER_MINUTE,
      'nft-data': environment.NFT_DATA_UNITS_PER_MINUTE,
    },
    takeAddresses: createDailyCounter(
      { now, usage: createUsageStore(table, 'addresses') },
      LIMITS.tenant.newAddresses,
    ),
    charge: createCharging(counter, log),
    searchCollection: (tenant, asked, signal) =>
      searchCollection(collections, tenant, asked, signal),
    readWallet: (tenant, wallet, signal) =>
      within(ANSWER_DEADLINE, signal, (inTime) => readWallet(wallets, tenant, wallet, inTime)),
    sendToContracts: senderTo(environment.CONTRACTS_QUEUE_URL, contractGroup),
    sendToLists: senderTo(environment.LISTS_QUEUE_URL, listGroup),
    report: log.error,
  });

  return httpFunction(
    {
      earlyAbortMs: outside.earlyAbortMs,
      log,
      corsOrigins: environment.CORS_ORIGINS,
      limit: limited(counter, watchlistRoutes, log),
    },
    (event, _context, signal) => manageWatchlists(ports, event, signal),
  );
}
