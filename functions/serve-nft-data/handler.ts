import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createHttpClient } from '#shared/clients/http-client.ts';
import {
  createParameterStore,
  ParameterStoreEnvironment,
} from '#shared/clients/parameter-store.ts';
import { createSecretReader } from '#shared/clients/secrets.ts';
import { packText, unpackText } from '#shared/clients/text-packer.ts';
import { createUpstreamGovernor } from '#shared/clients/upstream-governor.ts';
import { problemWithMessage } from '#shared/http/answer.ts';
import { createCallCounter } from '#shared/http/count-calls.ts';
import { createRequestCounter } from '#shared/http/count-request.ts';
import { httpFunction } from '#shared/http/http-function.ts';
import { createUpstream } from '#shared/providers/create-upstream.ts';
import { backOff } from '#shared/runtime/back-off.ts';
import { now, sleepUntil } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { limitsOf } from '#shared/runtime/upstream-variables.ts';
import { createAnswerStore } from '#shared/stores/answer-store.ts';
import { createArchiveStore } from '#shared/stores/archive-store.ts';
import { createBulkTable } from '#shared/stores/dynamo-bulk-table.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { createArchiveSource } from './archive-source.ts';
import { chooseSource } from './choose-source.ts';
import { ServeNftDataEnvironment } from './environment.ts';
import { type ServeNftDataPorts, serveNftData } from './routes.ts';
import { createSharedAnswers } from './shared-answers.ts';
import { createUpstreamSource } from './upstream-source.ts';

const environment = readEnvironment(ServeNftDataEnvironment);
const log = createLog('serve-nft-data');
const table = createBulkTable(
  new DynamoDBClient({ maxAttempts: 3 }),
  environment.WATCH_TABLE,
  backOff,
);
const http = createHttpClient({
  deadlineMs: 8000,
  maxBodyBytes: 5 * 1024 * 1024,
  maxConnections: 8,
});
const upstream = createUpstream(environment.UPSTREAM_PROVIDER, {
  http,
  baseUrl: environment.UPSTREAM_URL,
  apiKey: createSecretReader(
    createParameterStore(readEnvironment(ParameterStoreEnvironment), { now, sleepUntil }),
    environment.UPSTREAM_KEY_PARAMETER,
    now,
  ),
  now,
});
const limits = limitsOf(environment);
const governor = createUpstreamGovernor(createGovernorStore(table), 'interface', limits, now);

const answers = createAnswerStore(table, { pack: packText, unpack: unpackText });

const shared = createSharedAnswers({
  now,
  sleepUntil,
  getAnswer: answers.get,
  putAnswer: answers.put,
  askUpstream: createUpstreamSource({
    now,
    sleepUntil,
    leaseCalls: governor.lease,
    learnOfCall: governor.learn,
    answer: upstream.answer,
  }),
  report: log.error,
});
const archive = createArchiveSource({ now, ...createArchiveStore(table) });

const ports: ServeNftDataPorts = {
  now,
  ...chooseSource(environment.NFT_DATA_SOURCES, shared, archive),
  takeCall: createCallCounter({ now, limits, usage: createUsageStore(table, 'provider') }),
  countRequest: createRequestCounter({
    now,
    unitsPerMinute: environment.NFT_DATA_UNITS_PER_MINUTE,
    usage: createUsageStore(table, 'nft-data'),
  }).take,
};

export const handler = httpFunction(
  {
    log,
    corsOrigins: environment.CORS_ORIGINS,
    write: problemWithMessage,
  },
  (event, _context, signal) => serveNftData(ports, event, signal),
);
