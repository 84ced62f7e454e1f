import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { createAlertTopics } from '#shared/clients/alert-topics.ts';
import { createChannelSender, createWebhookProver } from '#shared/clients/channel-sender.ts';
import { createDiscord } from '#shared/clients/discord-webhook.ts';
import { createFifoSender } from '#shared/clients/fifo-queue.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import {
  createParameterStore,
  ParameterStoreEnvironment,
} from '#shared/clients/parameter-store.ts';
import { createOpen } from '#shared/clients/sealer.ts';
import { createSecretReader } from '#shared/clients/secrets.ts';
import { createSignedWebhooks } from '#shared/clients/signed-webhook.ts';
import { createSlack, createStackSlack } from '#shared/clients/slack-webhook.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import { channelGroup } from '#shared/domain/messages/groups.ts';
import { now, sleepUntil, wallClockOfLocalStack } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { handleFifoRecords, tracesOf } from '#shared/runtime/fifo-records.ts';
import { createLog } from '#shared/runtime/log.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { createReport } from '#shared/runtime/report.ts';
import { currentTrace } from '#shared/runtime/trace.ts';
import { uniqueNumber } from '#shared/runtime/unique-number.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createChangeJobStore } from '#shared/stores/change-job-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { deliverMessages } from './deliver-messages.ts';
import { DeliverMessagesEnvironment } from './environment.ts';
import type { DeliverMessagesEvents, DeliverMessagesPorts } from './ports.ts';

const environment = readEnvironment(DeliverMessagesEnvironment);
const log = createLog('deliver-messages');
const metrics = createMetrics(environment.STAGE);
const table = createDynamoTable(new DynamoDBClient({ maxAttempts: 3 }), environment.WATCH_TABLE);
const queues = new SQSClient({ maxAttempts: 3, useQueueUrlAsEndpoint: false });
const alerts = createAlertStore(table);
const channels = createChannelStore(table);
const inbox = createInboxStore(table);
const changeJobs = createChangeJobStore(table);
const getParameter = createParameterStore(readEnvironment(ParameterStoreEnvironment), {
  now,
  sleepUntil,
});
// No retries: a publish that timed out may have been accepted, and would be sent twice.
const topics = createAlertTopics(new SNSClient({ maxAttempts: 1 }), {
  stackTopicArn: environment.STACK_TOPIC_ARN,
  prefix: environment.TOPIC_PREFIX,
});
const limits = { deadlineMs: 5000, maxConnections: 2 };
const chats = createHttpClient({ ...limits, maxBodyBytes: 64 * 1024 });
const guard = { destinations: environment.WEBHOOK_DESTINATIONS };
// Of a stranger's server only the status is read, not the body, except in its answer to a
// challenge.
const strangers = {
  alerts: createHttpClient({ ...limits, maxBodyBytes: 'unread' }, guard),
  challenges: createHttpClient({ ...limits, maxBodyBytes: 4096 }, guard),
};
const slack = createSlack(chats, environment.SLACK_ORIGIN, now);
const readKey = createSecretReader(getParameter, environment.CHANNEL_KEY_PARAMETER, now);
const open = createOpen(readKey);
const webhooks = createSignedWebhooks(strangers, {
  now,
  wallClock: environment.WEBHOOK_DESTINATIONS === 'public' ? now : wallClockOfLocalStack,
  newChallenge: () => randomBytes(24).toString('base64url'),
});
const proveWebhook = createWebhookProver({ open, webhooks });
const sendToChannel = createChannelSender({
  open,
  slack,
  discord: createDiscord(chats, environment.DISCORD_ORIGIN, now),
  webhooks,
});
const sendToStackSlack = stackSlackOf(environment.SLACK_WEBHOOK_PARAMETER);

const ports: Omit<DeliverMessagesPorts, 'remainingTime'> = {
  now,
  sleepUntil,
  newVersion: uniqueNumber,
  stackSlack: environment.SLACK_WEBHOOK_PARAMETER === undefined ? 'off' : 'on',
  getWatchlist: createWatchlistStore(table).get,
  getChangeJob: changeJobs.get,
  replaceChangeJob: changeJobs.replace,
  getAlert: alerts.get,
  putAlert: alerts.put,
  getChannel: channels.get,
  putChannel: channels.put,
  removeChannel: channels.remove,
  putInInbox: inbox.put,
  oldestInInbox: inbox.oldest,
  nextInInbox: inbox.next,
  namedInInbox: inbox.named,
  removeFromInbox: inbox.remove,
  send: async (destination, notification, signal) => {
    if (destination.kind === 'stack-slack') return await sendToStackSlack(notification, signal);
    if (destination.kind === 'stack-topic') {
      await topics.publishToStack(notification);
      return { kind: 'accepted' };
    }
    const { list, channel } = destination;
    if (channel.kind === 'email' || channel.kind === 'sqs') {
      return { kind: await topics.publishToChannel(list, channel.id, notification) };
    }
    return await sendToChannel(list, channel, notification, signal);
  },
  prove: ({ list, channel }, signal) => proveWebhook(list, channel, signal),
  sendToChannels: createFifoSender(
    queues,
    environment.CHANNELS_QUEUE_URL,
    channelGroup,
    currentTrace,
  ),
  report: createReport<DeliverMessagesEvents>(log, {
    message_accepted: delivered,
    message_sent: delivered,
    message_failed: () => metrics.measure('SendsFailed'),
    message_no_topic: () => metrics.measure('SendsFailed'),
    message_refused: ({ alerts }) => metrics.measure('AlertsGivenUp', alerts),
    message_gone: ({ alerts }) => metrics.measure('AlertsGivenUp', alerts),
    alerts_given_up: ({ alerts }) => metrics.measure('AlertsGivenUp', alerts),
    alert_unreadable: () => metrics.measure('BrokenItems'),
    delivery_failed: () => metrics.measure('MessagesFailed'),
  }),
};

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(logged(log, (event: SQSEvent) => ({ ...tracesOf(event), ...metrics.flush() })))
  .handler((event, context, { signal }) => {
    const invocation = { ...ports, remainingTime: () => context.getRemainingTimeInMillis() };
    return handleFifoRecords(event, ChannelMessage, { log, metrics }, (message) =>
      deliverMessages(invocation, message, signal),
    );
  });

function delivered({ alerts, late, seconds, failures }: DeliverMessagesEvents['message_sent']) {
  metrics.measure('AlertsDelivered', alerts);
  metrics.measure('AlertsLate', late);
  if (failures === 0) metrics.measure('DeliveryDelay', seconds);
}

function stackSlackOf(
  parameter: string | undefined,
): (notification: Notification, signal: AbortSignal) => Promise<ChatAnswer> {
  return parameter === undefined
    ? async () => ({ kind: 'refused', reason: 'the stack has no Slack webhook' })
    : createStackSlack(slack, createSecretReader(getParameter, parameter, now));
}
