import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SNSClient } from '@aws-sdk/client-sns';
import { createAlertTopics } from '#shared/clients/alert-topics.ts';
import { AWS_CLIENTS } from '#shared/clients/aws-clients.ts';
import { createFifoSenders } from '#shared/clients/fifo-queue.ts';
import { channelGroup } from '#shared/domain/messages/groups.ts';
import { createRequestCounter } from '#shared/http/count-request.ts';
import { httpFunction } from '#shared/http/http-function.ts';
import { limited } from '#shared/http/request-limit.ts';
import { now } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { currentTrace } from '#shared/runtime/trace.ts';
import { uniqueNumber } from '#shared/runtime/unique-number.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { composeManageChannels } from './compose.ts';
import { ManageChannelsEnvironment } from './environment.ts';
import { channelRoutes, manageChannels } from './routes.ts';

const environment = readEnvironment(ManageChannelsEnvironment);
const log = createLog('manage-channels');
const table = createDynamoTable(
  new DynamoDBClient(AWS_CLIENTS.table),
  environment.WATCH_TABLE,
  tableRuntime,
);
const senderTo = createFifoSenders(currentTrace);
const topics = createAlertTopics(new SNSClient(AWS_CLIENTS.topics), {
  stackTopicArn: environment.STACK_TOPIC_ARN,
  prefix: environment.TOPIC_PREFIX,
});
const ports = composeManageChannels({
  now,
  newNumber: uniqueNumber,
  table,
  topicOf: topics.topicOf,
  confirm: topics.confirm,
  sendToChannels: senderTo(environment.CHANNELS_QUEUE_URL, channelGroup),
});

const counter = createRequestCounter({
  now,
  unitsPerMinute: environment.API_UNITS_PER_MINUTE,
  usage: createUsageStore(table, 'api'),
});

export const handler = httpFunction(
  {
    log,
    corsOrigins: environment.CORS_ORIGINS,
    limit: limited(counter, channelRoutes, log),
  },
  (event) => manageChannels(ports, event),
);
