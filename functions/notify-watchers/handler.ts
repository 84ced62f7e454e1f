import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SNSClient } from '@aws-sdk/client-sns';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { createAlertTopics } from '#shared/clients/alert-topics.ts';
import { createFifoSenders } from '#shared/clients/fifo-queue.ts';
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
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { composeNotifyWatchers } from './compose.ts';
import { NotifyWatchersEnvironment } from './environment.ts';
import { notifyWatchers } from './notify-watchers.ts';
import type { NotifyWatchersEvents } from './ports.ts';

const environment = readEnvironment(NotifyWatchersEnvironment);
const log = createLog('notify-watchers');
const metrics = createMetrics(environment.STAGE);
const table = createDynamoTable(new DynamoDBClient({ maxAttempts: 3 }), environment.WATCH_TABLE);
const senderTo = createFifoSenders(currentTrace);
const topics = createAlertTopics(new SNSClient({ maxAttempts: 3 }), {
  stackTopicArn: environment.STACK_TOPIC_ARN,
  prefix: environment.TOPIC_PREFIX,
});
const ports = composeNotifyWatchers({
  now,
  newVersion: uniqueNumber,
  table,
  stackSlack: environment.STACK_SLACK,
  hasTopic: topics.hasTopic,
  keepSubscribers: topics.keepSubscribers,
  sendToChannels: senderTo(environment.CHANNELS_QUEUE_URL, channelGroup),
  report: createReport<NotifyWatchersEvents>(log, {
    outbox_emptied: ({ seconds }) => metrics.measure('OutboxDelay', seconds),
  }),
});

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(logged(log, (event: SQSEvent) => ({ ...tracesOf(event), ...metrics.flush() })))
  .handler((event, context) => {
    const invocation = { ...ports, remainingTime: () => context.getRemainingTimeInMillis() };
    return handleFifoRecords(event, ListMessage, { log, metrics }, (message) =>
      notifyWatchers(invocation, message),
    );
  });
