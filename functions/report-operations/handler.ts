import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { AWS_CLIENTS } from '#shared/clients/aws-clients.ts';
import { createQueueDepths } from '#shared/clients/queue-depths.ts';
import { createRequestCounter } from '#shared/http/count-request.ts';
import { httpFunction } from '#shared/http/http-function.ts';
import { limited } from '#shared/http/request-limit.ts';
import { now } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { limitsOf, othersOf } from '#shared/runtime/upstream-variables.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { composeReportOperations } from './compose.ts';
import { ReportOperationsEnvironment } from './environment.ts';
import { operationsRoutes, reportOperations } from './routes.ts';

const environment = readEnvironment(ReportOperationsEnvironment);
const log = createLog('report-operations');
const table = createDynamoTable(
  new DynamoDBClient(AWS_CLIENTS.table),
  environment.WATCH_TABLE,
  tableRuntime,
);
const depthOf = createQueueDepths();
const waitingIn = async (queueUrl: string) => (await depthOf(queueUrl)).waiting;

const QUEUES = [
  {
    queue: 'contracts',
    url: environment.CONTRACTS_QUEUE_URL,
    deadLettersUrl: environment.CONTRACTS_DEAD_LETTERS_URL,
  },
  {
    queue: 'lists',
    url: environment.LISTS_QUEUE_URL,
    deadLettersUrl: environment.LISTS_DEAD_LETTERS_URL,
  },
  {
    queue: 'channels',
    url: environment.CHANNELS_QUEUE_URL,
    deadLettersUrl: environment.CHANNELS_DEAD_LETTERS_URL,
  },
] as const;

const ports = composeReportOperations({
  now,
  table,
  limits: [limitsOf(environment), ...othersOf(environment).map(({ limits }) => limits)],
  keyEndsAt: environment.UPSTREAM_KEY_ENDS_AT,
  configuredCadenceMinutes: environment.POLL_CADENCE_MINUTES,
  queueDepths: () =>
    Promise.all(
      QUEUES.map(async ({ queue, url, deadLettersUrl }) => {
        const [depth, deadLetters] = await Promise.all([depthOf(url), waitingIn(deadLettersUrl)]);
        return { queue, ...depth, deadLetters };
      }),
    ),
  missedTicks: () => waitingIn(environment.MISSED_TICKS_URL),
});

const counter = createRequestCounter({
  now,
  unitsPerMinute: environment.API_UNITS_PER_MINUTE,
  usage: createUsageStore(table, 'api'),
});

export const handler = httpFunction(
  { log, corsOrigins: environment.CORS_ORIGINS, limit: limited(counter, operationsRoutes, log) },
  (event) => reportOperations(ports, event),
);
