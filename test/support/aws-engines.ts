import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  KeyType,
  ProjectionType,
  ScalarAttributeType,
} from '@aws-sdk/client-dynamodb';
import { CreateTopicCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import * as z from 'zod';
import { wait } from '#infra/local/runtime/clock.ts';
import { closeServer, listen } from '#infra/local/runtime/loopback.ts';
import { startDynamoDbServer } from './dynamodb-server.ts';
import { createParameterServer } from './parameter-server.ts';
import { region, type Stack } from './template.ts';

/** A message that was published to an SNS topic. */
export type Publication = {
  readonly topicArn: string;
  readonly subject: string | undefined;
  /** The message by protocol; `default` is always present. */
  readonly messages: { readonly default: string; readonly [protocol: string]: string | undefined };
};

type QueueState = {
  readonly name: string;
  readonly waiting: number;
  readonly inFlight: number;
};

/** A table, queues, topics and parameters on loopback. */
export type Engines = {
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
  readonly sns: SNSClient;
  readonly queueOrigin: string;
  readonly tableOrigin: string;
  /** The endpoint variables that the SDK reads in a function. */
  readonly endpoints: Readonly<Record<string, string>>;
  readonly queues: () => Promise<readonly QueueState[]>;
  readonly close: () => Promise<void>;
};

export type EngineOptions = {
  /** SSM parameters by name; read at each request, so that a test can add some later. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The clock by which SSM throttles. */
  readonly now: () => number;
  /** The endpoint of SES; without it, emails cannot be sent. */
  readonly sesUrl?: string | undefined;
  /** Called with each accepted message of a topic, before the publisher gets its answer. */
  readonly onPublish: (publication: Publication) => Promise<void>;
  /** Called after a subscription is created or removed, before the caller gets its answer. */
  readonly onSubscriptionsChange?: () => Promise<void>;
};

/** Starts empty emulators. */
export async function startEngines({
  parameters,
  now,
  sesUrl,
  ...observers
}: EngineOptions): Promise<Engines> {
  const tables = await startDynamoDbServer();
  const messages = createMessaging(observers);
  const secrets = createParameterServer(parameters, now);
  const dynamodbUrl = tables.endpoint;
  const [messagingUrl, ssmUrl] = await Promise.all([
    messages.listen({ host: '127.0.0.1', port: 0 }),
    listen(secrets),
  ]);
  const client = { region, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
  const dynamodb = new DynamoDBClient({ ...client, endpoint: dynamodbUrl });
  const sqs = new SQSClient({ ...client, endpoint: messagingUrl, useQueueUrlAsEndpoint: false });
  const sns = new SNSClient({ ...client, endpoint: messagingUrl });

  return {
    dynamodb,
    sqs,
    sns,
    queueOrigin: messagingUrl,
    tableOrigin: dynamodbUrl,
    endpoints: {
      AWS_ENDPOINT_URL_DYNAMODB: dynamodbUrl,
      AWS_ENDPOINT_URL_SQS: messagingUrl,
      AWS_ENDPOINT_URL_SNS: messagingUrl,
      AWS_ENDPOINT_URL_SSM: ssmUrl,
      ...(sesUrl && { AWS_ENDPOINT_URL_SESV2: sesUrl }),
    },
    queues: async () => {
      const answer = await messages.inject({ method: 'GET', url: '/_fauxqs/queues' });
      return QueueStates.parse(answer.json());
    },
    close: async () => {
      for (const used of [dynamodb, sqs, sns]) used.destroy();
      await Promise.all([tables.close(), messages.close(), closeServer(secrets)]);
    },
  };
}

/** Creates the table, the queues, the topics and their subscriptions from the template. */
export async function createResources(
  { dynamodb, sqs, sns }: Engines,
  stack: Stack,
): Promise<void> {
  const tables = tableTypes.flatMap((type) => stack.find(type, TableProperties));
  const topics = stack.find('AWS::SNS::Topic', z.object({}));
  const queues = stack.find('AWS::SQS::Queue', QueueProperties);
  const subscriptions = stack.find('AWS::SNS::Subscription', SubscriptionProperties);

  await Promise.all([
    ...tables.map((table) => createTable(dynamodb, table.ref, table.properties)),
    ...queues.map(({ ref, properties }) =>
      sqs.send(new CreateQueueCommand({ QueueName: lastOf(ref, '/'), Attributes: properties })),
    ),
    ...topics.map(({ arn }) => sns.send(new CreateTopicCommand({ Name: lastOf(arn, ':') }))),
  ]);
  for (const { properties } of subscriptions) {
    await sns.send(new SubscribeCommand(properties));
  }
}

/**
 * fauxqs with two corrections: it listens only on loopback, and queues get the `sqs` entry of a
 * message with the message structure `json`.
 */
function createMessaging({
  onPublish,
  onSubscriptionsChange = async () => {},
}: Pick<EngineOptions, 'onPublish' | 'onSubscriptionsChange'>) {
  const app = buildApp({ logger: false, defaultRegion: region });
  const publications = new WeakMap<object, Publication>();
  app.addHook('preHandler', async (request) => {
    const publish = PublishRequest.safeParse(request.body);
    if (!publish.success) return;
    const { TopicArn, Subject, Message, MessageStructure } = publish.data;
    const messages =
      MessageStructure === 'json' ? Structure.parse(JSON.parse(Message)) : { default: Message };
    request.body = { ...publish.data, Message: messages.sqs ?? messages.default };
    publications.set(request, { topicArn: TopicArn, subject: Subject, messages });
  });
  app.addHook('onSend', async (request, reply) => {
    if (reply.statusCode !== 200) return;
    const publication = publications.get(request);
    if (publication) await onPublish(publication);
    if (SubscribingRequest.safeParse(request.body).success) await onSubscriptionsChange();
  });
  return app;
}

async function createTable(
  dynamodb: DynamoDBClient,
  name: string,
  properties: z.output<typeof TableProperties>,
): Promise<void> {
  await dynamodb.send(
    new CreateTableCommand({ ...properties, TableName: name, BillingMode: 'PAY_PER_REQUEST' }),
  );
  for (;;) {
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: name }));
    if (Table?.TableStatus === 'ACTIVE') return;
    await wait(5, new AbortController().signal);
  }
}

const lastOf = (whole: string, separator: string) => whole.slice(whole.lastIndexOf(separator) + 1);

/** The two resource types that CDK uses for a table. */
const tableTypes = ['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'];
const KeySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(KeyType) }));
const Index = z.object({
  IndexName: z.string(),
  KeySchema,
  Projection: z.object({
    ProjectionType: z.enum(ProjectionType),
    NonKeyAttributes: z.array(z.string()).optional(),
  }),
});
const TableProperties = z.object({
  AttributeDefinitions: z.array(
    z.object({ AttributeName: z.string(), AttributeType: z.enum(ScalarAttributeType) }),
  ),
  KeySchema,
  GlobalSecondaryIndexes: z.array(Index).optional(),
  LocalSecondaryIndexes: z.array(Index).optional(),
});

const attribute = z.union([z.string(), z.number(), z.boolean()]).transform(String).optional();
const QueueProperties = z
  .object({
    FifoQueue: attribute,
    ContentBasedDeduplication: attribute,
    DeduplicationScope: attribute,
    FifoThroughputLimit: attribute,
    VisibilityTimeout: attribute,
    MessageRetentionPeriod: attribute,
    DelaySeconds: attribute,
    RedrivePolicy: z.record(z.string(), z.unknown()).transform((policy) => JSON.stringify(policy)),
  })
  .partial({ RedrivePolicy: true })
  .transform((given) =>
    Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    ),
  );

const SubscriptionProperties = z
  .object({
    TopicArn: z.string(),
    Protocol: z.string(),
    Endpoint: z.string(),
    RawMessageDelivery: attribute,
  })
  .transform(({ RawMessageDelivery, ...subscription }) => ({
    ...subscription,
    Attributes: { ...(RawMessageDelivery && { RawMessageDelivery }) },
  }));

const PublishRequest = z.looseObject({
  Action: z.literal('Publish'),
  TopicArn: z.string(),
  Subject: z.string().optional(),
  Message: z.string(),
  MessageStructure: z.string().optional(),
});
const SubscribingRequest = z.looseObject({
  Action: z.enum([
    'Subscribe',
    'ConfirmSubscription',
    'SetSubscriptionAttributes',
    'Unsubscribe',
    'DeleteTopic',
  ]),
});
const Structure = z
  .object({ default: z.string(), sqs: z.string().optional() })
  .catchall(z.string());
const QueueStates = z.array(
  z
    .object({
      name: z.string(),
      approximateMessageCount: z.number(),
      approximateInflightCount: z.number(),
      approximateDelayedCount: z.number(),
    })
    .transform((queue) => ({
      name: queue.name,
      waiting: queue.approximateMessageCount + queue.approximateDelayedCount,
      inFlight: queue.approximateInflightCount,
    })),
);
