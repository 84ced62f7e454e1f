import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { AWS_CLIENTS } from '#shared/clients/aws-clients.ts';
import { createFifoSenders } from '#shared/clients/fifo-queue.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { ParameterStoreEnvironment } from '#shared/clients/parameter-store.ts';
import { createSeal } from '#shared/clients/sealer.ts';
import { createSecrets } from '#shared/clients/secrets.ts';
import { createUpstreamGovernor } from '#shared/clients/upstream-governor.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { contractGroup, listGroup } from '#shared/domain/messages/groups.ts';
import { createCallCounter, createDailyCounter } from '#shared/http/count-calls.ts';
import { createRequestCounter } from '#shared/http/count-request.ts';
import { type CollectionPorts, searchCollection } from '#shared/http/find-collections.ts';
import { httpFunction } from '#shared/http/http-function.ts';
import { createCharging, limited } from '#shared/http/request-limit.ts';
import {
  collectionSearch,
  holdingsReader,
  searchProvider,
} from '#shared/providers/collection-search.ts';
import { ANSWER_DEADLINE, within } from '#shared/providers/within.ts';
import { now, sleepUntil } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { currentTrace } from '#shared/runtime/trace.ts';
import { uniqueNumber } from '#shared/runtime/unique-number.ts';
import {
  type ConfiguredProvider,
  hasSecondSource,
  providersOf,
} from '#shared/runtime/upstream-variables.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { type ReadWalletPorts, readWallet } from '#shared/use-cases/read-wallet.ts';
import { composeManageWatchlists } from './compose.ts';
import { ManageWatchlistsEnvironment } from './environment.ts';
import { manageWatchlists, watchlistRoutes } from './routes.ts';

const environment = readEnvironment(ManageWatchlistsEnvironment);
const log = createLog('manage-watchlists');
const table = createDynamoTable(
  new DynamoDBClient(AWS_CLIENTS.table),
  environment.WATCH_TABLE,
  tableRuntime,
);
const senderTo = createFifoSenders(currentTrace);
const secret = createSecrets(readEnvironment(ParameterStoreEnvironment), {
  now,
  sleepUntil,
  random: Math.random,
});
const providers = providersOf(environment);
const [first] = providers;
const searched = searchProvider(providers);
const http = createHttpClient({ deadlineMs: 8000, maxBodyBytes: 1024 * 1024, maxConnections: 1 });
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
  readHoldings: holdingsReader(environment.UPSTREAM_PROVIDER, settingsOf(first)),
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
  newVersion: uniqueNumber,
  newNumber: uniqueNumber,
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
  searchCollection: (tenant, asked, signal) => searchCollection(collections, tenant, asked, signal),
  readWallet: (tenant, wallet, signal) =>
    within(ANSWER_DEADLINE, signal, (inTime) => readWallet(wallets, tenant, wallet, inTime)),
  sendToContracts: senderTo(environment.CONTRACTS_QUEUE_URL, contractGroup),
  sendToLists: senderTo(environment.LISTS_QUEUE_URL, listGroup),
  report: log.error,
});

export const handler = httpFunction(
  {
    log,
    corsOrigins: environment.CORS_ORIGINS,
    limit: limited(counter, watchlistRoutes, log),
  },
  (event, _context, signal) => manageWatchlists(ports, event, signal),
);
