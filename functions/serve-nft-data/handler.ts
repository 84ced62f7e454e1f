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
import { ServeNftDataEnvironment } from './environment.ts';
import { type ServeNftDataPorts, serveNftData } from './routes.ts';
import { searchTraits } from './search-traits.ts';

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
const governor = createUpstreamGovernor(createGovernorStore(table), limitsOf(environment), now);

const ports: ServeNftDataPorts = {
  now,
  searchTraits: (query, signal) =>
    searchTraits(
      {
        now,
        sleepUntil,
        leaseCalls: governor.lease,
        learnOfCall: governor.learn,
        nftsByTraits: upstream.nftsByTraits,
      },
      query,
      signal,
    ),
};

export const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
  .use(logged(log))
  .use(answersProblems(log))
  .handler((event, _context, { signal }) => serveNftData(ports, event, signal));
