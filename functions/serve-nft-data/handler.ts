import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SSMClient } from '@aws-sdk/client-ssm';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { createSecretReader } from '#shared/clients/secrets.ts';
import { createUpstream } from '#shared/clients/upstream.ts';
import { createUpstreamGovernor } from '#shared/clients/upstream-governor.ts';
import { limitsOf } from '#shared/domain/polling/upstream-limits.ts';
import { answersProblems } from '#shared/http/answer.ts';
import { now, sleepUntil } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createTokenStore } from '#shared/stores/token-store.ts';
import { createTradeStore } from '#shared/stores/trade-store.ts';
import { createArchiveSource } from './archive-source.ts';
import { chooseSource } from './choose-source.ts';
import { ServeNftDataEnvironment } from './environment.ts';
import { type ServeNftDataPorts, serveNftData } from './routes.ts';
import { createUpstreamSource } from './upstream-source.ts';

const environment = readEnvironment(ServeNftDataEnvironment);
const log = createLog('serve-nft-data');
const table = createDynamoTable(new DynamoDBClient({ maxAttempts: 3 }), environment.WATCH_TABLE);
const http = createHttpClient({
  deadlineMs: 15_000,
  maxBodyBytes: 5 * 1024 * 1024,
  maxConnections: 8,
});
const upstream = createUpstream({
  http,
  baseUrl: environment.UPSTREAM_URL,
  apiKey: createSecretReader(
    new SSMClient({ maxAttempts: 3 }),
    environment.UPSTREAM_KEY_PARAMETER,
    now,
  ),
  now,
});
const governor = createUpstreamGovernor(
  createGovernorStore(table),
  'interface',
  limitsOf(environment),
  now,
);

const tokens = createTokenStore(table);

const ports: ServeNftDataPorts = {
  now,
  ask: chooseSource(
    environment.NFT_DATA_SOURCES,
    createUpstreamSource({
      now,
      sleepUntil,
      leaseCalls: governor.lease,
      learnOfCall: governor.learn,
      answer: upstream.answer,
    }),
    createArchiveSource({
      now,
      token: tokens.get,
      countWith: tokens.countWith,
      tokensWith: tokens.withTrait,
      lowestTrade: createTradeStore(table).lowest,
      floors: createHistoryStore(table).newest,
    }),
  ),
};

export const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
  .use(logged(log))
  .use(answersProblems(log))
  .handler((event, _context, { signal }) => serveNftData(ports, event, signal));
