import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { AWS_CLIENTS } from '#shared/clients/aws-clients.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { ParameterStoreEnvironment } from '#shared/clients/parameter-store.ts';
import { createSecrets } from '#shared/clients/secrets.ts';
import { packText, unpackText } from '#shared/clients/text-packer.ts';
import { problemWithMessage } from '#shared/http/answer.ts';
import { createCallCounter } from '#shared/http/count-calls.ts';
import { createRequestCounter } from '#shared/http/count-request.ts';
import { httpFunction } from '#shared/http/http-function.ts';
import { createOthers } from '#shared/providers/create-others.ts';
import { createUpstream } from '#shared/providers/create-upstream.ts';
import { now, sleepUntil } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { limitsOf, othersOf } from '#shared/runtime/upstream-variables.ts';
import { createBulkTable } from '#shared/stores/dynamo-bulk-table.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { composeServeNftData } from './compose.ts';
import { ServeNftDataEnvironment } from './environment.ts';
import { serveNftData } from './routes.ts';

const environment = readEnvironment(ServeNftDataEnvironment);
const log = createLog('serve-nft-data');
const table = createBulkTable(
  new DynamoDBClient(AWS_CLIENTS.table),
  environment.WATCH_TABLE,
  tableRuntime,
);
const http = createHttpClient({
  deadlineMs: 8000,
  maxBodyBytes: 5 * 1024 * 1024,
  maxConnections: 8,
});
const secret = createSecrets(readEnvironment(ParameterStoreEnvironment), {
  now,
  sleepUntil,
  random: Math.random,
});
const settingsFor = (keyParameter: string) => ({
  ...{ http, now },
  apiKey: secret(keyParameter),
});
const limits = limitsOf(environment);

const ports = composeServeNftData({
  now,
  sleepUntil,
  table,
  limits,
  upstream: createUpstream(environment.UPSTREAM_PROVIDER, {
    ...settingsFor(environment.UPSTREAM_KEY_PARAMETER),
    baseUrl: environment.UPSTREAM_URL,
  }),
  others: createOthers(othersOf(environment), settingsFor),
  sources: environment.NFT_DATA_SOURCES,
  packer: { pack: packText, unpack: unpackText },
  takeCall: createCallCounter({ now, limits, usage: createUsageStore(table, 'provider') }),
  countRequest: createRequestCounter({
    now,
    unitsPerMinute: environment.NFT_DATA_UNITS_PER_MINUTE,
    usage: createUsageStore(table, 'nft-data'),
  }).take,
  report: log.error,
});

export const handler = httpFunction(
  {
    log,
    corsOrigins: environment.CORS_ORIGINS,
    write: problemWithMessage,
  },
  (event, _context, signal) => serveNftData(ports, event, signal),
);
