import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { createAlertTopics } from '#shared/clients/alert-topics.ts';
import { createFifoSender } from '#shared/clients/fifo-queue.ts';
import { channelGroup } from '#shared/domain/messages/groups.ts';
import { answersProblems } from '#shared/http/answer.ts';
import { createRequestCounter } from '#shared/http/count-request.ts';
import { crossOrigin } from '#shared/http/cross-origin.ts';
import { answersHead } from '#shared/http/head.ts';
import { limited } from '#shared/http/request-limit.ts';
import { now } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { logged } from '#shared/runtime/logged.ts';
import { currentTrace, withTrace } from '#shared/runtime/trace.ts';
import { uniqueNumber } from '#shared/runtime/unique-number.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createChangeJobStore } from '#shared/stores/change-job-store.ts';
import { createChangeStore } from '#shared/stores/change-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { createKeyedRequestStore } from '#shared/stores/keyed-request-store.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { ManageChannelsEnvironment } from './environment.ts';
import type { ManageChannelsPorts } from './ports.ts';
import { manageChannels } from './routes.ts';

const environment = readEnvironment(ManageChannelsEnvironment);
const log = createLog('manage-channels');
const table = createDynamoTable(new DynamoDBClient({ maxAttempts: 3 }), environment.WATCH_TABLE);
const queues = new SQSClient({ maxAttempts: 3, useQueueUrlAsEndpoint: false });
const topics = createAlertTopics(new SNSClient({ maxAttempts: 3 }), {
  stackTopicArn: environment.STACK_TOPIC_ARN,
  prefix: environment.TOPIC_PREFIX,
});
const alerts = createAlertStore(table);
const channels = createChannelStore(table);
const inbox = createInboxStore(table);
const requests = createKeyedRequestStore(table);

const ports: ManageChannelsPorts = {
  now,
  newNumber: uniqueNumber,
  getRequest: requests.get,
  putRequest: requests.put,
  removeRequest: requests.remove,
  getWatchlist: createWatchlistStore(table).get,
  getAlert: alerts.get,
  putAlert: alerts.put,
  getChannel: channels.get,
  putChannel: channels.put,
  countPendingChanges: createChangeJobStore(table).countContracts,
  channelsOfList: channels.ofList,
  putChange: createChangeStore(table).put,
  putInInbox: inbox.put,
  oldestInInbox: inbox.oldest,
  topicOf: topics.topicOf,
  confirm: topics.confirm,
  sendToChannels: createFifoSender(
    queues,
    environment.CHANNELS_QUEUE_URL,
    channelGroup,
    currentTrace,
  ),
};

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
  .handler((event, { awsRequestId }) =>
    withTrace(awsRequestId, () => manageChannels(ports, event)),
  );
