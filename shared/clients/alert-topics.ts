import {
  ConfirmSubscriptionCommand,
  CreateTopicCommand,
  DeleteTopicCommand,
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
} from '@aws-sdk/client-sns';
import { alertMessage } from '#shared/domain/alerting/alert-message.ts';
import { emailText } from '#shared/domain/alerting/email-text.ts';
import { type Notification, notificationSeverity } from '#shared/domain/alerting/notification.ts';
import { subjectLine } from '#shared/domain/alerting/subject-line.ts';
import { type ChannelId, channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import { endpointText, topicName } from '#shared/domain/channels/list-topic.ts';
import type {
  Confirmation,
  Subscriber,
  Subscriptions,
} from '#shared/domain/channels/subscriber.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';

/**
 * Publishes notifications to the stack's topic and to the topics of lists, one for each endpoint.
 */
export type AlertTopics = {
  readonly publishToStack: (notification: Notification) => Promise<void>;
  /** Publishes to the topic of the channel's endpoint, if the topic exists. */
  readonly publishToChannel: (
    list: WatchlistId,
    subscriber: Omit<Subscriber, 'ask'>,
    notification: Notification,
  ) => Promise<'accepted' | 'no_topic'>;
  readonly hasTopic: (list: WatchlistId, endpoint: Endpoint) => Promise<boolean>;
  /**
   * Creates a topic and a subscription for each subscriber. SNS moves undeliverable messages to the
   * queue `undeliverable`.
   */
  readonly keepSubscribers: (
    list: WatchlistId,
    subscribers: readonly Subscriber[],
    undeliverable: QueueArn,
  ) => Promise<Subscriptions>;
  /**
   * Deletes the topics of endpoints with their subscriptions; returns the endpoints that were
   * confirmed.
   */
  readonly removeTopics: (
    list: WatchlistId,
    endpoints: readonly Endpoint[],
  ) => Promise<readonly string[]>;
  /** The ARN of the topic of an endpoint, which need not exist. */
  readonly topicOf: (list: WatchlistId, endpoint: Endpoint) => string;
  /**
   * Confirms the subscription of an endpoint, so that only the stack can end the subscription.
   * Undefined if SNS rejects the token.
   */
  readonly confirm: (
    list: WatchlistId,
    endpoint: Endpoint,
    token: string,
  ) => Promise<Confirmation | undefined>;
};

type Endpoint = Pick<Subscriber, 'protocol' | 'endpoint'>;
type QueueArn = string;

export type AlertTopicsSettings = {
  readonly stackTopicArn: string;
  /** The prefix of the names of topics created at run time. */
  readonly prefix: string;
};

export function createAlertTopics(
  client: SNSClient,
  { stackTopicArn, prefix }: AlertTopicsSettings,
): AlertTopics {
  const arnOf = (list: WatchlistId, endpoint: Endpoint) =>
    `${stackTopicArn.slice(0, stackTopicArn.lastIndexOf(':'))}:${topicName(prefix, list, endpoint)}`;
  const publish = async (topicArn: string, notification: Notification, channel?: ChannelId) => {
    await client.send(
      new PublishCommand({ TopicArn: topicArn, ...messageOf(notification, channel) }),
    );
  };

  return {
    publishToStack: (notification) => publish(stackTopicArn, notification),

    publishToChannel: async (list, subscriber, notification) => {
      try {
        const { channel } = subscriber;
        await publish(arnOf(list, subscriber), notification, { list, channel });
        return 'accepted';
      } catch (error) {
        if (error instanceof NotFoundException) return 'no_topic';
        throw error;
      }
    },

    hasTopic: async (list, endpoint) => {
      try {
        await client.send(new GetTopicAttributesCommand({ TopicArn: arnOf(list, endpoint) }));
        return true;
      } catch (error) {
        if (error instanceof NotFoundException) return false;
        throw error;
      }
    },

    keepSubscribers: async (list, subscribers, undeliverable) => {
      const states = new Map<string, SubscriptionState>();
      // Channels with the same endpoint share its topic, so the endpoint's owner confirms once.
      for (const same of Map.groupBy(subscribers, endpointText).values()) {
        const [subscriber] = same;
        if (subscriber === undefined) continue;
        const state = await keepSubscriber(client, {
          topicArn: arnOf(list, subscriber),
          topic: topicName(prefix, list, subscriber),
          subscriber,
          attributes: attributesFor(subscriber, undeliverable),
        });
        if (state === undefined) continue;
        for (const { channel } of same) states.set(channel, state);
      }
      return states;
    },

    removeTopics: async (list, endpoints) => {
      const confirmed: string[] = [];
      for (const endpoint of endpoints) {
        const TopicArn = arnOf(list, endpoint);
        const subscription = await subscriptionOf(client, TopicArn, endpoint);
        if (subscription && isConfirmed(subscription)) confirmed.push(endpoint.endpoint);
        // Deleting the topic also ends pending subscriptions; otherwise a stranger could still
        // confirm them.
        await client.send(new DeleteTopicCommand({ TopicArn }));
      }
      return confirmed;
    },

    topicOf: arnOf,

    confirm: async (list, endpoint, token) => {
      try {
        const { SubscriptionArn } = await client.send(
          new ConfirmSubscriptionCommand({
            TopicArn: arnOf(list, endpoint),
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

type SubscriptionState = Subscriptions extends ReadonlyMap<string, infer State> ? State : never;
type Attributes = Readonly<Record<string, string>>;

/**
 * Makes the topic of a list accept messages over TLS only, and encrypts them with AWS's key for
 * SNS. The attributes are set after the creation, because SNS refuses to create an existing topic
 * with other attributes.
 */
async function protect(client: SNSClient, topicArn: string): Promise<void> {
  const asked = new GetTopicAttributesCommand({ TopicArn: topicArn });
  const { Attributes: found = {} } = await client.send(asked);
  const set = async (AttributeName: string, AttributeValue: string) => {
    const change = { TopicArn: topicArn, AttributeName, AttributeValue };
    await client.send(new SetTopicAttributesCommand(change));
  };
  // SNS may normalize a policy, so only its id is compared.
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

function attributesFor({ protocol }: Endpoint, undeliverable: QueueArn): Attributes {
  return {
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: undeliverable }),
    ...(protocol === 'sqs' ? { RawMessageDelivery: 'true' } : {}),
  };
}

/** Creates the topic and the subscription if missing; returns the state of the subscription. */
async function keepSubscriber(
  client: SNSClient,
  {
    topicArn,
    topic,
    subscriber,
    attributes,
  }: {
    readonly topicArn: string;
    readonly topic: string;
    readonly subscriber: Subscriber;
    readonly attributes: Attributes;
  },
): Promise<SubscriptionState | undefined> {
  await client.send(new CreateTopicCommand({ Name: topic }));
  await protect(client, topicArn);
  const subscription = await subscriptionOf(client, topicArn, subscriber);
  return subscription === undefined
    ? await subscribe(client, topicArn, subscriber, attributes)
    : await keep(client, subscription, attributes);
}

/** Errors with which SNS refuses one subscriber: an invalid endpoint or an exceeded quota. */
const REFUSALS = [InvalidParameterException, SubscriptionLimitExceededException];

/**
 * Subscribes a new endpoint, unless it has unsubscribed before. An endpoint that SNS refuses (a
 * queue in a disabled region, an exceeded quota) stays unsubscribed and does not block others.
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

/** The attributes of a pending subscription can be neither read nor changed. */
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

function isOf({ Protocol, Endpoint }: Subscription, { protocol, endpoint }: Endpoint): boolean {
  return Protocol === protocol && Endpoint === endpoint;
}

/** The texts of a notification: text for emails, JSON for queues. */
export function topicTexts(notification: Notification): {
  readonly subject: string;
  readonly text: string;
  readonly email: string;
  readonly sqs: string;
} {
  const text = emailText(notification);
  const chart = notification.kind === 'alert' ? notification.chart : undefined;
  return {
    subject: subjectLine(notification),
    text,
    email: `${text}\n${chart === undefined ? '' : `Chart: ${chart}\n`}`,
    sqs: JSON.stringify(notification.kind === 'alert' ? alertMessage(notification) : notification),
  };
}

function messageOf(notification: Notification, to: ChannelId | undefined) {
  const { subject, text, email, sqs } = topicTexts(notification);
  const attributes = {
    kind: notification.kind === 'alert' ? notification.alert.kind : notification.kind,
    severity: notificationSeverity(notification),
    ...(notification.kind === 'alert'
      ? { tenant: notification.alert.tenant, watchlist: notification.alert.watchlist }
      : {}),
    ...(to === undefined ? {} : { destination: channelDestinationId(to.list, to.channel) }),
  };
  return {
    Subject: subject,
    MessageStructure: 'json',
    Message: JSON.stringify({ default: text, email, sqs }),
    MessageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [
        name,
        { DataType: 'String', StringValue: value },
      ]),
    ),
  };
}

/** The subscription of an endpoint; undefined if it or the topic does not exist. */
async function subscriptionOf(
  client: SNSClient,
  topicArn: string,
  endpoint: Endpoint,
): Promise<Subscription | undefined> {
  try {
    let token: string | undefined;
    do {
      const page = await client.send(
        new ListSubscriptionsByTopicCommand({ TopicArn: topicArn, NextToken: token }),
      );
      const found = page.Subscriptions?.find((one) => isOf(one, endpoint));
      if (found !== undefined) return found;
      token = page.NextToken;
    } while (token !== undefined && token !== '');
    return undefined;
  } catch (error) {
    if (error instanceof NotFoundException) return undefined;
    throw error;
  }
}
