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
import { createOpen } from '#shared/clients/sealer.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import { channelGroup } from '#shared/domain/messages/groups.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { handleFifoRecords, tracesOf } from '#shared/runtime/fifo-records.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { createReport } from '#shared/runtime/report.ts';
import { composeDeliverMessages } from './compose.ts';
import { deliverMessages } from './deliver-messages.ts';
import { DeliverMessagesEnvironment } from './environment.ts';
import { measuredEvents } from './measured-events.ts';
import { createMessageLinks, createUnsubscribeLinks } from './message-links.ts';
import type { DeliverMessagesEvents } from './ports.ts';

export function deliverMessagesFunction(
  outside: Basics &
    Pick<Outside, 'emailSender' | 'httpClient' | 'secret' | 'senderTo' | 'table' | 'topics'>,
) {
  const { now, sleepUntil, httpClient, secret, senderTo } = outside;
  const environment = readEnvironment(DeliverMessagesEnvironment, outside.variables);
  const log = outside.logOf('deliver-messages');
  const metrics = createMetrics(environment.STAGE, now);
  const table = outside.table(environment.WATCH_TABLE);
  const topics = outside.topics({
    stackTopicArn: environment.STACK_TOPIC_ARN,
    prefix: environment.TOPIC_PREFIX,
  });
  const limits = { deadlineMs: 5000, maxConnections: 2 };
  const postToChat = createChats({
    http: httpClient({ ...limits, maxBodyBytes: 64 * 1024 }),
    now,
    destinations: environment.WEBHOOK_DESTINATIONS,
    origins: environment.CHAT_ORIGINS,
  });
  const strangers = createWebhookClients(httpClient, limits, {
    destinations: environment.WEBHOOK_DESTINATIONS,
  });
  const readKey = secret(environment.CHANNEL_KEY_PARAMETER);
  const open = createOpen(readKey);
  const webhooks = createSignedWebhooks(strangers, {
    now,
    wallClock: outside.wallClock,
    newChallenge: () => outside.randomBytes(24).toString('base64url'),
  });
  const proveWebhook = createWebhookProver({ open, webhooks });
  const sendToChannel = createChannelSender({ open, postToChat, webhooks });
  const { SLACK_WEBHOOK_PARAMETER: slackParameter } = environment;
  const sendToStackSlack =
    slackParameter === undefined
      ? async (): Promise<ChatAnswer> => ({
          kind: 'refused',
          reason: 'the stack has no Slack webhook',
        })
      : createStackSlack(
          (url, ...message) => postToChat('slack', { kind: 'slack', url }, ...message),
          secret(slackParameter),
        );

  const readLinkKey = secret(environment.LINK_KEY_PARAMETER);
  const signing = {
    ...{ now, sleepUntil, publicUrl: environment.PUBLIC_URL },
    readKey: () => readLinkKey(false),
    onMissing: (error: unknown) => log.info('links_left_out', { error }),
  };
  const { EMAIL_SENDER: sender, EMAIL_CONFIGURATION_SET: configurationSet } = environment;
  /** Undefined if the stage has no sender; topics take all emails then. */
  const emails =
    sender === undefined || configurationSet === undefined
      ? undefined
      : {
          sendEmail: outside.emailSender({ sender, configurationSet, now }),
          unsubscribeUrl: createUnsubscribeLinks(signing),
          onRefused: (refusal: Readonly<Record<string, unknown>>) =>
            log.info('email_sent_by_topic', refusal),
        };

  const ports = composeDeliverMessages({
    now,
    newVersion: outside.uniqueNumber,
    sleepUntil,
    table,
    stackSlack: slackParameter === undefined ? 'off' : 'on',
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

  return middy<SQSEvent, SQSBatchResponse>()
    .use(logged(log, (event: SQSEvent) => ({ ...tracesOf(event), ...metrics.flush() })))
    .handler((event, context, { signal }) => {
      const invocation = { ...ports, remainingTime: () => context.getRemainingTimeInMillis() };
      return handleFifoRecords(event, ChannelMessage, { log, metrics }, (message) =>
        deliverMessages(invocation, message, signal),
      );
    });
}
