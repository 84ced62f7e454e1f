import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { answersProblems } from '#shared/http/answer.ts';
import { now } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDispatchStore } from '#shared/stores/dispatch-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
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

const ports: ReadContractsPorts = {
  now,
  configuredCadenceMinutes: environment.POLL_CADENCE_MINUTES,
  getCadence: governor.cadence,
  getProgress: createDispatchStore(table).progress,
  getGovernor: governor.get,
  watchlistsOf: createWatchlistStore(table).ofTenant,
  getContract: createContractStore(table, now).get,
  recordedBetween: (contract, part, from, to, limit) =>
    history.newest(contract, part, { from, to, each: 'point', limit }),
};
const checkHealth = createHealthCheck(ports);

export const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
  .use(logged(log))
  .use(answersProblems(log))
  .handler((event) => readContracts({ ports, checkHealth }, event));
