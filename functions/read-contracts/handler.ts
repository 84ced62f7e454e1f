import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { createHttpClient } from '#shared/clients/http-client.ts';
import {
  createParameterStore,
  ParameterStoreEnvironment,
} from '#shared/clients/parameter-store.ts';
import { createSecretReader } from '#shared/clients/secrets.ts';
import { createUpstream } from '#shared/clients/upstream.ts';
import { createUpstreamGovernor } from '#shared/clients/upstream-governor.ts';
import { limitsOf } from '#shared/domain/polling/upstream-limits.ts';
import { remembered } from '#shared/domain/remembered.ts';
import { answersProblems } from '#shared/http/answer.ts';
import { createCallCounter } from '#shared/http/count-calls.ts';
import { createRequestCounter } from '#shared/http/count-request.ts';
import { crossOrigin } from '#shared/http/cross-origin.ts';
import { answersHead } from '#shared/http/head.ts';
import { limited } from '#shared/http/request-limit.ts';
import { now, sleepUntil } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDispatchStore } from '#shared/stores/dispatch-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { CADENCE_KEPT_FOR, createGovernorStore } from '#shared/stores/governor-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { createHealthCheck } from './check-health.ts';
import { ReadContractsEnvironment } from './environment.ts';
import type { ReadContractsPorts } from './ports.ts';
import { readContracts } from './routes.ts';

const environment = readEnvironment(ReadContractsEnvironment);
const log = createLog('read-contracts');
const table = createDynamoTable(new DynamoDBClient({ maxAttempts: 3 }), environment.WATCH_TABLE);
const governor = createGovernorStore(table);
const history = createHistoryStore(table);

const upstream = createUpstream({
  http: createHttpClient({ deadlineMs: 8000, maxBodyBytes: 4 * 1024 * 1024, maxConnections: 2 }),
  baseUrl: environment.UPSTREAM_URL,
  apiKey: createSecretReader(
    createParameterStore(readEnvironment(ParameterStoreEnvironment), { now, sleepUntil }),
    environment.UPSTREAM_KEY_PARAMETER,
    now,
  ),
  now,
});
const limits = limitsOf(environment);
const calls = createUpstreamGovernor(governor, 'interface', limits, now);

const ports: Omit<ReadContractsPorts, 'remainingTime'> = {
  now,
  sleepUntil,
  leaseCalls: calls.lease,
  learnOfCall: calls.learn,
  floorHistory: upstream.floorHistory,
  takeCall: createCallCounter({ now, limits, usage: createUsageStore(table, 'provider') }),
  configuredCadenceMinutes: environment.POLL_CADENCE_MINUTES,
  getCadences: remembered(governor.cadences, CADENCE_KEPT_FOR, now),
  getProgress: createDispatchStore(table).progress,
  getGovernor: governor.get,
  watchlistsOf: createWatchlistStore(table).ofTenant,
  getContract: createContractStore(table, now).get,
  recordedBetween: (contract, part, from, to, limit) =>
    history.newest(contract, part, { from, to, each: 'point', limit }),
  recordedSince: history.since,
};
const checkHealth = createHealthCheck(ports);

const counter = createRequestCounter({
  now,
  unitsPerMinute: environment.API_UNITS_PER_MINUTE,
  usage: createUsageStore(table, 'api'),
});

export const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
  .use(answersHead())
  .use(logged(log))
  .use(crossOrigin(environment.CORS_ORIGINS))
  .use(limited(counter, log))
  .use(answersProblems(log))
  .handler((event, context, { signal }) => {
    const invocation = { ...ports, remainingTime: () => context.getRemainingTimeInMillis() };
    return readContracts({ ports: invocation, checkHealth }, event, signal);
  });
