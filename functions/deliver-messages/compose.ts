import { createPushKeyReader } from '#shared/clients/push-key.ts';
import { channelGroup } from '#shared/domain/messages/groups.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { createReport } from '#shared/runtime/report.ts';
import { createAcknowledgementStore } from '#shared/stores/acknowledgement-store.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
import { createMuteStore } from '#shared/stores/mute-store.ts';
import { createPostIntentStore } from '#shared/stores/post-intent-store.ts';
import { TABLE_LIMITS } from '#shared/stores/table.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { createMessagesTo } from '#shared/use-cases/messages-to.ts';
import { DeliverMessagesEnvironment } from './environment.ts';
import { measuredEvents } from './measured-events.ts';
import { createMessageLinks, createUnsubscribeLinks } from './message-links.ts';
import type { DeliverMessagesEvents, DeliverMessagesPorts } from './ports.ts';

export type DeliverMessagesOutside = Basics &
  Pick<
    Outside,
    'destinations' | 'emailSender' | 'httpClient' | 'secret' | 'senderTo' | 'table' | 'topics'
  >;

/** Creates the ports, the log and the metrics of one Lambda instance. */
export function composeDeliverMessages(outside: DeliverMessagesOutside) {
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
  /** Undefined if the stage has no sender, so that SNS topics send all emails. */
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
    vapid: {
      readKey: createPushKeyReader(secret(environment.PUSH_KEY_PARAMETER)),
      contact: environment.PUBLIC_URL,
    },
    readChannelKey: secret(environment.CHANNEL_KEY_PARAMETER),
    readStackSlackUrl: slackParameter === undefined ? undefined : secret(slackParameter),
  });
  const report = createReport<DeliverMessagesEvents>(log, measuredEvents(metrics.measure));
  const alerts = createAlertStore(table);
  const { get: getWatchlist } = createWatchlistStore(table);
  const jobs = createJobStore(table);
  const channels = createChannelStore(table);
  const inbox = createInboxStore(table);
  const ports: Omit<DeliverMessagesPorts, 'remainingTime'> = {
    now,
    newVersion: outside.uniqueNumber,
    writesOfTransaction: TABLE_LIMITS.writesOfTransaction,
    sleepUntil,
    stackSlack: slackParameter === undefined ? 'off' : 'on',
    messageLinks: createMessageLinks(signing),
    ...destinations,
    sendToChannels: senderTo(environment.CHANNELS_QUEUE_URL, channelGroup),
    report,
    getWatchlist,
    getJob: jobs.get,
    replaceJob: jobs.replace,
    getPosted: alerts.getPosted,
    postAlert: alerts.post,
    getOutcome: alerts.getOutcome,
    putOutcome: alerts.putOutcome,
    getChannel: channels.get,
    putChannel: channels.put,
    removeChannel: channels.remove,
    holdInInbox: inbox.hold,
    mutedInInbox: inbox.muted,
    mutedOf: inbox.mutedOf,
    muteInInbox: inbox.mute,
    unmuteInInbox: inbox.unmute,
    getMutes: createMuteStore(table).get,
    getAcknowledgement: createAcknowledgementStore(table).get,
    getWatch: createWatchStore(table).get,
    getContract: createContractStore(table, now).get,
    recordedSince: createHistoryStore(table).since,
    oldestInInbox: inbox.oldest,
    nextInInbox: async (destinationId, limit, now) => {
      const { unreadable, ...next } = await inbox.next(destinationId, limit, now);
      for (const alert of unreadable) report('alert_unreadable', { destinationId, alert });
      return next;
    },
    namedInInbox: inbox.named,
    settleInInbox: inbox.settle,
    removeFromInbox: inbox.remove,
    putPostIntent: createPostIntentStore(table).put,
    messagesTo: createMessagesTo(getWatchlist),
  };
  return { ports, log, metrics };
}
