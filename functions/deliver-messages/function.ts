import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
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
    Pick<
      Outside,
      'destinations' | 'emailSender' | 'httpClient' | 'secret' | 'senderTo' | 'table' | 'topics'
    >,
) {
  const { now, sleepUntil, httpClient, secret, senderTo } = outside;
  const environment = readEnvironment(DeliverMessagesEnvironment, outside.variables);
  const log = outside.logOf('deliver-messages');
  const metrics = createMetrics(environment.STAGE, now);
  const table = outside.table(environment.WATCH_TABLE);
  const readLinkKey = secret(environment.LINK_KEY_PARAMETER);
  const signing = {
    ...{ now, sleepUntil, publicUrl: environment.PUBLIC_URL },
    readKey: () => readLinkKey(false),
    onMissing: (error: unknown) => log.info('links_left_out', { error }),
  };
  const {
    SLACK_WEBHOOK_PARAMETER: slackParameter,
    EMAIL_SENDER: sender,
    EMAIL_CONFIGURATION_SET: configurationSet,
  } = environment;
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

  const destinations = outside.destinations({
    now,
    wallClock: outside.wallClock,
    newChallenge: () => outside.randomBytes(24).toString('base64url'),
    httpClient,
    topics: outside.topics({
      stackTopicArn: environment.STACK_TOPIC_ARN,
      prefix: environment.TOPIC_PREFIX,
    }),
    emails,
    destinations: environment.WEBHOOK_DESTINATIONS,
    origins: environment.CHAT_ORIGINS,
    readChannelKey: secret(environment.CHANNEL_KEY_PARAMETER),
    readStackSlackUrl: slackParameter === undefined ? undefined : secret(slackParameter),
  });
  const ports = composeDeliverMessages({
    now,
    newVersion: outside.uniqueNumber,
    sleepUntil,
    table,
    stackSlack: slackParameter === undefined ? 'off' : 'on',
    messageLinks: createMessageLinks(signing),
    ...destinations,
    sendToChannels: senderTo(environment.CHANNELS_QUEUE_URL, channelGroup),
    report: createReport<DeliverMessagesEvents>(log, measuredEvents(metrics.measure)),
  });

  return middy<SQSEvent, SQSBatchResponse>({ timeoutEarlyInMillis: outside.earlyAbortMs })
    .use(logged(log, (event: SQSEvent) => ({ ...tracesOf(event), ...metrics.flush() })))
    .handler((event, context, { signal }) => {
      const invocation = { ...ports, remainingTime: () => context.getRemainingTimeInMillis() };
      return handleFifoRecords(event, ChannelMessage, { log, metrics }, (message) =>
        deliverMessages(invocation, message, signal),
      );
    });
}
