import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { AWS_CLIENTS } from '#shared/clients/aws-clients.ts';
import { createRequestCounter } from '#shared/http/count-request.ts';
import { httpFunction } from '#shared/http/http-function.ts';
import { limited } from '#shared/http/request-limit.ts';
import { now } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { uniqueNumber } from '#shared/runtime/unique-number.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { composeManageKeys } from './compose.ts';
import { ManageKeysEnvironment } from './environment.ts';
import { keyRoutes, manageKeys } from './routes.ts';

const environment = readEnvironment(ManageKeysEnvironment);
const log = createLog('manage-keys');
const table = createDynamoTable(
  new DynamoDBClient(AWS_CLIENTS.table),
  environment.WATCH_TABLE,
  tableRuntime,
);
const ports = composeManageKeys({
  now,
  newVersion: uniqueNumber,
  random: () => randomBytes(32),
  table,
});

const counter = createRequestCounter({
  now,
  unitsPerMinute: environment.API_UNITS_PER_MINUTE,
  usage: createUsageStore(table, 'api'),
});

export const handler = httpFunction(
  { log, corsOrigins: environment.CORS_ORIGINS, limit: limited(counter, keyRoutes, log) },
  (event) => manageKeys(ports, event),
);
