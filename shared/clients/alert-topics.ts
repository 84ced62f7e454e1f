import {
  ConfirmSubscriptionCommand,
  CreateTopicCommand,
  DeleteTopicCommand,
  FilterPolicyLimitExceededException,
  GetSubscriptionAttributesCommand,
  GetTopicAttributesCommand,
  InvalidParameterException,
  ListSubscriptionsByTopicCommand,
  NotFoundException,
  PublishCommand,
  SetSubscriptionAttributesCommand,
  SetTopicAttributesCommand,
  type SNSClient,
  SubscribeCommand,
  type Subscription,
  SubscriptionLimitExceededException,
  UnsubscribeCommand,
} from '@aws-sdk/client-sns';
import { alertMessage } from '#shared/domain/alerting/alert-message.ts';
import { emailText } from '#shared/domain/alerting/email-text.ts';
import { type Notification, notificationSeverity } from '#shared/domain/alerting/notification.ts';
import { subjectLine } from '#shared/domain/alerting/subject-line.ts';
import { listTopicName } from '#shared/domain/channels/list-topic.ts';
import type {
  Confirmation,
  Subscriber,
  Subscriptions,
} from '#shared/domain/channels/subscriber.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';

/**
 * Where notifications are published: the stack's own topic, and one for each list with subscribers.
 */
export type AlertTopics = {
  readonly publishToStack: (notification: Notification) => Promise<void>;
  /** Only the subscriber of the channel gets it; no subscriber if the list has no topic. */
  readonly publishToChannel: (
    list: WatchlistId,
    channel: string,
    notification: Notification,
  ) => Promise<'accepted' | 'no_topic'>;
  readonly hasTopic: (list: WatchlistId) => Promise<boolean>;
  /** Makes the list's topic have these subscribers and no others; none at all removes it. */
  readonly keepSubscribers: (
    list: WatchlistId,
    subscribers: readonly Subscriber[],
  ) => Promise<Subscriptions>;
  /** The ARN of the list's topic, whether it is there or not. */
  readonly topicOf: (list: WatchlistId) => string;
  /**
   * Confirms a subscription to the list's topic, so that only we can end it; undefined where the
   * token is not taken.
   */
  readonly confirm: (list: WatchlistId, token: string) => Promise<Confirmation | undefined>;
};

export type AlertTopicsSettings = {
  readonly stackTopicArn: string;
  /** What the names of topics made at run time begin with. */
  readonly prefix: string;
};

export function createAlertTopics(
  client: SNSClient,
  { stackTopicArn, prefix }: AlertTopicsSettings,
): AlertTopics {
  const nameOf = (list: WatchlistId) => listTopicName(prefix, list);
  const arnOf = (list: WatchlistId) =>
    `${stackTopicArn.slice(0, stackTopicArn.lastIndexOf(':'))}:${nameOf(list)}`;
  const publish = async (topicArn: string, notification: Notification, channel?: string) => {
    await client.send(
      new PublishCommand({ TopicArn: topicArn, ...messageOf(notification, channel) }),
    );
  };

  return {
    publishToStack: (notification) => publish(stackTopicArn, notification),

    publishToChannel: async (list, channel, notification) => {
      try {
        await publish(arnOf(list), notification, channel);
        return 'accepted';
      } catch (error) {
        if (error instanceof NotFoundException) return 'no_topic';
        throw error;
      }
    },

    hasTopic: async (list) => {
      try {
        await client.send(new GetTopicAttributesCommand({ TopicArn: arnOf(list) }));
        return true;
      } catch (error) {
        if (error instanceof NotFoundException) return false;
        throw error;
      }
    },

    keepSubscribers: async (list, subscribers) => {
      const topicArn = arnOf(list);
      if (subscribers.length === 0) {
        await client.send(new DeleteTopicCommand({ TopicArn: topicArn }));
        return { states: new Map(), strangersMayConfirm: false, left: [] };
      }
      await client.send(new CreateTopicCommand({ Name: nameOf(list) }));
      await protect(client, topicArn);
      const known = await subscriptionsOf(client, topicArn);
      const states = new Map<string, SubscriptionState>();
      // An address may be that of several channels: it is asked once.
      for (const same of Map.groupBy(subscribers, endpointText).values()) {
        const [subscriber] = same;
        if (subscriber === undefined) continue;
        const subscription = known.find((one) => isOf(one, subscriber));
        const attributes = attributesFor(same);
        const state =
          subscription === undefined
            ? await subscribe(client, topicArn, subscriber, attributes)
            : await keep(client, subscription, attributes);
        if (state === undefined) continue;
        for (const { channel } of same) states.set(channel, state);
      }
      const strangers = known.filter(
        (subscription) =>
          isOurs(subscription) && !subscribers.some((one) => isOf(subscription, one)),
      );
      const confirmed = strangers.filter(isConfirmed);
      for (const { SubscriptionArn } of confirmed) {
        await client.send(new UnsubscribeCommand({ SubscriptionArn }));
      }
      return {
        states,
        strangersMayConfirm: confirmed.length < strangers.length,
        left: confirmed.flatMap(({ Endpoint }) => Endpoint ?? []),
      };
    },

    topicOf: arnOf,

    confirm: async (list, token) => {
      try {
        const { SubscriptionArn } = await client.send(
          new ConfirmSubscriptionCommand({
            TopicArn: arnOf(list),
            Token: token,
            AuthenticateOnUnsubscribe: 'true',
          }),
        );
        const { Attributes = {} } = await client.send(
          new GetSubscriptionAttributesCommand({ SubscriptionArn }),
        );
        return { state: confirmedState(Attributes) };
      } catch (error) {
        if (error instanceof InvalidParameterException) return undefined;
        if (error instanceof NotFoundException) return undefined;
        throw error;
      }
    },
  };
}

type SubscriptionState =
  Subscriptions['states'] extends ReadonlyMap<string, infer State> ? State : never;
type Attributes = Readonly<Record<string, string>>;

/**
 * A topic of a list takes messages over TLS only and keeps them encrypted, under the key that AWS
 * manages for SNS. Set after it is made: SNS refuses to make a topic again whose attributes differ.
 */
async function protect(client: SNSClient, topicArn: string): Promise<void> {
  const asked = new GetTopicAttributesCommand({ TopicArn: topicArn });
  const { Attributes: found = {} } = await client.send(asked);
  const set = async (AttributeName: string, AttributeValue: string) => {
    const change = { TopicArn: topicArn, AttributeName, AttributeValue };
    await client.send(new SetTopicAttributesCommand(change));
  };
  // SNS may write a policy in another way than it was given.
  if (!found.Policy?.includes(TLS_ONLY)) await set('Policy', tlsOnlyPolicy(topicArn));
  if (found.KmsMasterKeyId !== SNS_KEY) await set('KmsMasterKeyId', SNS_KEY);
}

const SNS_KEY = 'alias/aws/sns';
const TLS_ONLY = 'AllowPublishThroughSSLOnly';

function tlsOnlyPolicy(topicArn: string): string {
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Sid: TLS_ONLY,
        Effect: 'Deny',
        Principal: '*',
        Action: 'sns:Publish',
        Resource: topicArn,
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
    ],
  });
}

function endpointText({ protocol, endpoint }: Subscriber): string {
  return `${protocol} ${endpoint}`;
}

/** What subscribers with one endpoint get: all that is for their channels. */
function attributesFor(subscribers: readonly Subscriber[]): Attributes {
  const channels = subscribers.map(({ channel }) => channel);
  return {
    FilterPolicy: JSON.stringify({ channel: channels.toSorted() }),
    ...(subscribers.some(({ protocol }) => protocol === 'sqs')
      ? { RawMessageDelivery: 'true' }
      : {}),
  };
}

/** Refusals of one subscriber by SNS: an invalid endpoint, or one above a quota. */
const REFUSALS = [
  InvalidParameterException,
  SubscriptionLimitExceededException,
  FilterPolicyLimitExceededException,
];

/**
 * Subscribes a new endpoint; one that has unsubscribed is not subscribed again. An endpoint that SNS
 * refuses (a queue in a closed region, one above a quota) stays unsubscribed and blocks no other.
 */
async function subscribe(
  client: SNSClient,
  topicArn: string,
  { protocol, endpoint, ask }: Subscriber,
  attributes: Attributes,
): Promise<SubscriptionState | undefined> {
  if (ask === 'never') return 'gone';
  if (ask === 'later') return undefined;
  try {
    const { SubscriptionArn = '' } = await client.send(
      new SubscribeCommand({
        TopicArn: topicArn,
        Protocol: protocol,
        Endpoint: endpoint,
        Attributes: attributes,
      }),
    );
    return SubscriptionArn.startsWith('arn:') ? 'confirmed' : 'pending';
  } catch (error) {
    if (REFUSALS.some((Refusal) => error instanceof Refusal)) return undefined;
    throw error;
  }
}

/** The filter of a pending subscription can be neither read nor changed. */
async function keep(
  client: SNSClient,
  subscription: Subscription,
  attributes: Attributes,
): Promise<SubscriptionState> {
  if (!isConfirmed(subscription)) return 'pending';
  const { SubscriptionArn } = subscription;
  const { Attributes: found = {} } = await client.send(
    new GetSubscriptionAttributesCommand({ SubscriptionArn }),
  );
  for (const [AttributeName, AttributeValue] of Object.entries(attributes)) {
    if (found[AttributeName] === AttributeValue) continue;
    await client.send(
      new SetSubscriptionAttributesCommand({ SubscriptionArn, AttributeName, AttributeValue }),
    );
  }
  return confirmedState(found);
}

function confirmedState(found: Attributes): Confirmation['state'] {
  return found.ConfirmationWasAuthenticated === 'false' ? 'confirmed-unprotected' : 'confirmed';
}

function isConfirmed({ SubscriptionArn }: Subscription): boolean {
  return SubscriptionArn?.startsWith('arn:') === true;
}

function isOf({ Protocol, Endpoint }: Subscription, { protocol, endpoint }: Subscriber): boolean {
  return Protocol === protocol && Endpoint === endpoint;
}

/** Subscriptions of other protocols were made by others and are left alone. */
function isOurs({ Protocol }: Subscription): boolean {
  return Protocol === 'email' || Protocol === 'sqs';
}

/** One notification in the forms that people and programs get: text for emails, JSON for queues. */
function messageOf(notification: Notification, channel: string | undefined) {
  const text = emailText(notification);
  const chart = notification.kind === 'alert' ? notification.chart : undefined;
  const attributes = {
    kind: notification.kind === 'alert' ? notification.alert.kind : notification.kind,
    severity: notificationSeverity(notification),
    ...(notification.kind === 'alert'
      ? { tenant: notification.alert.tenant, watchlist: notification.alert.watchlist }
      : {}),
    ...(channel === undefined ? {} : { channel }),
  };
  return {
    Subject: subjectLine(notification),
    MessageStructure: 'json',
    Message: JSON.stringify({
      default: text,
      email: `${text}\n${chart === undefined ? '' : `Chart: ${chart}\n`}`,
      sqs: JSON.stringify(
        notification.kind === 'alert' ? alertMessage(notification) : notification,
      ),
    }),
    MessageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [
        name,
        { DataType: 'String', StringValue: value },
      ]),
    ),
  };
}

async function subscriptionsOf(
  client: SNSClient,
  topicArn: string,
): Promise<readonly Subscription[]> {
  const found: Subscription[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListSubscriptionsByTopicCommand({ TopicArn: topicArn, NextToken: token }),
    );
    found.push(...(page.Subscriptions ?? []));
    token = page.NextToken;
  } while (token !== undefined && token !== '');
  return found;
}
