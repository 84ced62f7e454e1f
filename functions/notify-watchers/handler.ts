import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { createAlertTopics } from '#shared/clients/alert-topics.ts';
import { createFifoSender } from '#shared/clients/fifo-queue.ts';
import { channelGroup } from '#shared/domain/messages/groups.ts';
import { ListMessage } from '#shared/domain/messages/list-message.ts';
import { now } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { handleFifoRecords, tracesOf } from '#shared/runtime/fifo-records.ts';
import { createLog } from '#shared/runtime/log.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { createReport } from '#shared/runtime/report.ts';
import { currentTrace } from '#shared/runtime/trace.ts';
import { uniqueNumber } from '#shared/runtime/unique-number.ts';
import { createAcknowledgementStore } from '#shared/stores/acknowledgement-store.ts';
import { createAddressStore } from '#shared/stores/address-store.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createChangeJobStore } from '#shared/stores/change-job-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { createMuteStore } from '#shared/stores/mute-store.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { NotifyWatchersEnvironment } from './environment.ts';
import { notifyWatchers } from './notify-watchers.ts';
import type { NotifyWatchersEvents, NotifyWatchersPorts } from './ports.ts';

const environment = readEnvironment(NotifyWatchersEnvironment);
const log = createLog('notify-watchers');
const metrics = createMetrics(environment.STAGE);
const table = createDynamoTable(new DynamoDBClient({ maxAttempts: 3 }), environment.WATCH_TABLE);
const queues = new SQSClient({ maxAttempts: 3, useQueueUrlAsEndpoint: false });
const topics = createAlertTopics(new SNSClient({ maxAttempts: 3 }), {
  stackTopicArn: environment.STACK_TOPIC_ARN,
  prefix: environment.TOPIC_PREFIX,
});
const watches = createWatchStore(table);
const watchlists = createWatchlistStore(table);
const alerts = createAlertStore(table);
const changeJobs = createChangeJobStore(table);
const channels = createChannelStore(table);
const addresses = createAddressStore(table);

const ports: Omit<NotifyWatchersPorts, 'remainingTime'> = {
  now,
  newVersion: uniqueNumber,
  stackSlack: environment.STACK_SLACK,
  getWatch: watches.get,
  putWatch: watches.put,
  deleteWatch: watches.delete,
  getWatchlist: watchlists.get,
  putWatchlist: watchlists.put,
  watchesOfList: watches.ofList,
  getMutes: createMuteStore(table).get,
  getAcknowledgement: createAcknowledgementStore(table).get,
  getAlert: alerts.get,
  putAlert: alerts.put,
  getChangeJob: changeJobs.get,
  expiryJobs: changeJobs.expiries,
  putChangeJobs: changeJobs.put,
  settleChangeJob: changeJobs.settle,
  replaceChangeJob: changeJobs.replace,
  putInInbox: createInboxStore(table).put,
  getChannel: channels.get,
  putChannel: channels.put,
  channelsOfList: channels.ofList,
  getAddress: addresses.get,
  putAddress: addresses.put,
  hasTopic: topics.hasTopic,
  keepSubscribers: topics.keepSubscribers,
  sendToChannels: createFifoSender(
    queues,
    environment.CHANNELS_QUEUE_URL,
    channelGroup,
    currentTrace,
  ),
  report: createReport<NotifyWatchersEvents>(log, {
    outbox_emptied: ({ seconds }) => metrics.measure('OutboxDelay', seconds),
  }),
};

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(logged(log, (event: SQSEvent) => ({ ...tracesOf(event), ...metrics.flush() })))
  .handler((event, context) => {
    const invocation = { ...ports, remainingTime: () => context.getRemainingTimeInMillis() };
    return handleFifoRecords(event, ListMessage, { log, metrics }, (message) =>
      notifyWatchers(invocation, message),
    );
  });
