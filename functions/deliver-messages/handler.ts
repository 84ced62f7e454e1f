import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SNSClient } from '@aws-sdk/client-sns';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { endpointOf, isPosted } from '#shared/channels/channel.ts';
import {
  createChannelSender,
  createChats,
  createWebhookProver,
} from '#shared/channels/channel-sender.ts';
import { postEmail } from '#shared/channels/email/post.ts';
import { createStackSlack } from '#shared/channels/slack/post.ts';
import { createSignedWebhooks, createWebhookClients } from '#shared/channels/webhook/post.ts';
import { createAlertTopics } from '#shared/clients/alert-topics.ts';
import { AWS_CLIENTS } from '#shared/clients/aws-clients.ts';
import { createEmailSender, EmailSenderEnvironment } from '#shared/clients/email-sender.ts';
import { createFifoSenders } from '#shared/clients/fifo-queue.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { ParameterStoreEnvironment } from '#shared/clients/parameter-store.ts';
import { createOpen } from '#shared/clients/sealer.ts';
import { createSecrets } from '#shared/clients/secrets.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import { channelGroup } from '#shared/domain/messages/groups.ts';
import { now, sleepUntil, wallClockOfLocalStack } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { handleFifoRecords, tracesOf } from '#shared/runtime/fifo-records.ts';
import { createLog } from '#shared/runtime/log.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { createReport } from '#shared/runtime/report.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { currentTrace } from '#shared/runtime/trace.ts';
import { uniqueNumber } from '#shared/runtime/unique-number.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { composeDeliverMessages } from './compose.ts';
import { deliverMessages } from './deliver-messages.ts';
import { DeliverMessagesEnvironment } from './environment.ts';
import { measuredEvents } from './measured-events.ts';
import { createMessageLinks, createUnsubscribeLinks } from './message-links.ts';
import type { DeliverMessagesEvents } from './ports.ts';

const environment = readEnvironment(DeliverMessagesEnvironment);
const log = createLog('deliver-messages');
const metrics = createMetrics(environment.STAGE);
const table = createDynamoTable(
  new DynamoDBClient(AWS_CLIENTS.table),
  environment.WATCH_TABLE,
  tableRuntime,
);
const senderTo = createFifoSenders(currentTrace);
const secret = createSecrets(readEnvironment(ParameterStoreEnvironment), {
  now,
  sleepUntil,
  random: Math.random,
});
const topics = createAlertTopics(new SNSClient(AWS_CLIENTS.publications), {
  stackTopicArn: environment.STACK_TOPIC_ARN,
  prefix: environment.TOPIC_PREFIX,
});
const limits = { deadlineMs: 5000, maxConnections: 2 };
const postToChat = createChats({
  http: createHttpClient({ ...limits, maxBodyBytes: 64 * 1024 }),
  now,
  destinations: environment.WEBHOOK_DESTINATIONS,
  origins: environment.CHAT_ORIGINS,
});
const strangers = createWebhookClients(limits, { destinations: environment.WEBHOOK_DESTINATIONS });
const readKey = secret(environment.CHANNEL_KEY_PARAMETER);
const open = createOpen(readKey);
const webhooks = createSignedWebhooks(strangers, {
  now,
  wallClock: environment.WEBHOOK_DESTINATIONS === 'public' ? now : wallClockOfLocalStack,
  newChallenge: () => randomBytes(24).toString('base64url'),
});
const proveWebhook = createWebhookProver({ open, webhooks });
const sendToChannel = createChannelSender({ open, postToChat, webhooks });
const sendToStackSlack = stackSlackOf(environment.SLACK_WEBHOOK_PARAMETER);

const readLinkKey = secret(environment.LINK_KEY_PARAMETER);
const signing = {
  ...{ now, sleepUntil, publicUrl: environment.PUBLIC_URL },
  readKey: () => readLinkKey(false),
  onMissing: (error: unknown) => log.info('links_left_out', { error }),
};
const emails = emailsFrom(environment.EMAIL_SENDER, environment.EMAIL_CONFIGURATION_SET);

const ports = composeDeliverMessages({
  now,
  newVersion: uniqueNumber,
  sleepUntil,
  table,
  stackSlack: environment.SLACK_WEBHOOK_PARAMETER === undefined ? 'off' : 'on',
  messageLinks: createMessageLinks(signing),
  send: async (destination, notification, signal, subscription) => {
    if (destination.kind === 'stack-slack') return await sendToStackSlack(notification, signal);
    if (destination.kind === 'stack-topic') {
      await topics.publishToStack(notification);
      return { kind: 'accepted' };
    }
    const { list, channel } = destination;
    if (isPosted(channel)) return await sendToChannel(list, channel, notification, signal);
    const publish = async () => ({
      kind: await topics.publishToChannel(
        list,
        { channel: channel.id, ...endpointOf(channel) },
        notification,
      ),
    });
    if (channel.kind !== 'email' || emails === undefined) return await publish();
    const link = { destinationId: channelDestinationId(list, channel.id), to: channel.to };
    return await postEmail(emails, link, subscription, notification, publish, signal);
  },
  prove: ({ list, channel }, signal) => proveWebhook(list, channel, signal),
  sendToChannels: senderTo(environment.CHANNELS_QUEUE_URL, channelGroup),
  report: createReport<DeliverMessagesEvents>(log, measuredEvents(metrics.measure)),
});

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(logged(log, (event: SQSEvent) => ({ ...tracesOf(event), ...metrics.flush() })))
  .handler((event, context, { signal }) => {
    const invocation = { ...ports, remainingTime: () => context.getRemainingTimeInMillis() };
    return handleFifoRecords(event, ChannelMessage, { log, metrics }, (message) =>
      deliverMessages(invocation, message, signal),
    );
  });

function stackSlackOf(
  parameter: string | undefined,
): (notification: Notification, signal: AbortSignal) => Promise<ChatAnswer> {
  return parameter === undefined
    ? async () => ({ kind: 'refused', reason: 'the stack has no Slack webhook' })
    : createStackSlack(
        (url, ...message) => postToChat('slack', { kind: 'slack', url }, ...message),
        secret(parameter),
      );
}

/** How emails are sent; undefined where the stage has no sender, and all go by topics. */
function emailsFrom(sender: string | undefined, configurationSet: string | undefined) {
  if (sender === undefined || configurationSet === undefined) return undefined;
  return {
    sendEmail: createEmailSender(readEnvironment(EmailSenderEnvironment), {
      ...{ sender, configurationSet, now },
    }),
    unsubscribeUrl: createUnsubscribeLinks(signing),
    onRefused: (refusal: Readonly<Record<string, unknown>>) =>
      log.info('email_sent_by_topic', refusal),
  };
}
