import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { ListSubscriptionsByTopicCommand, PublishCommand } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { createMailbox, type Notification } from '#infra/local/mailbox.ts';
import { aFunction, anActorQueue, world } from './world.ts';

const handlers = { idle: 'export const handler = async () => {};' };

describe('the engines', () => {
  it('have the table with its indexes as the template has it', async () => {
    const { engines } = await world({ resources: { Table: aTable }, handlers: {} });

    const { Table } = await engines.dynamodb.send(new DescribeTableCommand({ TableName: 'Table' }));

    expect(Table).toMatchObject({
      TableStatus: 'ACTIVE',
      KeySchema: aTable.Properties.KeySchema,
      LocalSecondaryIndexes: [{ IndexName: 'falling' }],
      GlobalSecondaryIndexes: [{ IndexName: 'due' }],
    });
  });

  it('have the queues with their attributes as the template has them', async () => {
    const { engines } = await world({
      resources: { Idle: aFunction('idle'), ...anActorQueue('Idle') },
      handlers,
    });

    const { Attributes } = await engines.sqs.send(
      new GetQueueAttributesCommand({
        QueueUrl: `${engines.queueOrigin}/000000000000/Queue.fifo`,
        AttributeNames: ['All'],
      }),
    );

    expect(Attributes).toMatchObject({ FifoQueue: 'true', VisibilityTimeout: '180' });
    expect(JSON.parse(Attributes?.RedrivePolicy ?? '')).toEqual({
      deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:DeadLetters.fifo',
      maxReceiveCount: 3,
    });
  });

  it('listen on this machine alone', async () => {
    const { engines } = await world({ resources: {}, handlers: {} });

    for (const endpoint of Object.values(engines.endpoints)) {
      expect(new URL(endpoint).hostname).toBe('127.0.0.1');
    }
  });

  it('give a queue its own part of a message, and tell the whole of it', async () => {
    const { engines, published } = await world({
      resources: {
        Alerts: { Type: 'AWS::SNS::Topic' },
        Inbox: { Type: 'AWS::SQS::Queue' },
        ToInbox: {
          Type: 'AWS::SNS::Subscription',
          Properties: {
            TopicArn: { Ref: 'Alerts' },
            Protocol: 'sqs',
            Endpoint: { 'Fn::GetAtt': ['Inbox', 'Arn'] },
            RawMessageDelivery: true,
          },
        },
      },
      handlers: {},
    });
    const topicArn = 'arn:aws:sns:us-east-1:000000000000:Alerts';
    const messages = { default: 'below', sqs: '{"value":"59.9"}', email: 'Punks are below 60' };

    await engines.sns.send(
      new PublishCommand({
        TopicArn: topicArn,
        Subject: 'Punks',
        MessageStructure: 'json',
        Message: JSON.stringify(messages),
      }),
    );
    const QueueUrl = `${engines.queueOrigin}/000000000000/Inbox`;
    const { Messages } = await engines.sqs.send(new ReceiveMessageCommand({ QueueUrl }));

    expect(Messages?.map(({ Body }) => Body)).toEqual(['{"value":"59.9"}']);
    expect(published).toEqual([{ topicArn, subject: 'Punks', messages }]);
  });
});

describe('the mailbox', () => {
  it('holds an email for each address that is subscribed to the topic, newest last', async () => {
    const { engines } = await world({
      resources: {
        Alerts: { Type: 'AWS::SNS::Topic' },
        ...Object.fromEntries(
          ['desk@example.com', 'night@example.com'].map((Endpoint, index) => [
            `To${index}`,
            {
              Type: 'AWS::SNS::Subscription',
              Properties: { TopicArn: { Ref: 'Alerts' }, Protocol: 'email', Endpoint },
            },
          ]),
        ),
      },
      handlers: {},
    });
    const reported: Notification[] = [];
    const mailbox = createMailbox(
      () => Date.parse('2022-01-10T12:00:00Z'),
      (notification) => reported.push(notification),
    );
    const topicArn = 'arn:aws:sns:us-east-1:000000000000:Alerts';
    const { Subscriptions = [] } = await engines.sns.send(
      new ListSubscriptionsByTopicCommand({ TopicArn: topicArn }),
    );
    const expected = Subscriptions.map(({ Endpoint }) => ({
      kind: 'email',
      to: Endpoint,
      subject: 'Punks',
      text: 'Punks are below 60',
      at: '2022-01-10T12:00:00.000Z',
    }));

    const messages = { default: '…', email: 'Punks are below 60' };
    await mailbox.receive({ topicArn, subject: 'Punks', messages }, engines.sns);

    expect(expected).toHaveLength(2);
    expect(mailbox.notifications()).toEqual(expected);
    expect(reported).toEqual(expected);
  });
});

const aTable = {
  Type: 'AWS::DynamoDB::Table',
  Properties: {
    AttributeDefinitions: ['pk', 'sk', 'falling', 'dueShard', 'dueAt'].map((AttributeName) => ({
      AttributeName,
      AttributeType: AttributeName === 'dueAt' ? 'N' : 'S',
    })),
    KeySchema: keys('pk', 'sk'),
    BillingMode: 'PAY_PER_REQUEST',
    LocalSecondaryIndexes: [anIndex('falling', 'pk', 'falling')],
    GlobalSecondaryIndexes: [anIndex('due', 'dueShard', 'dueAt')],
  },
};

function anIndex(IndexName: string, hash: string, range: string) {
  const Projection = { ProjectionType: 'KEYS_ONLY' };
  return { IndexName, KeySchema: keys(hash, range), Projection };
}

function keys(hash: string, range: string) {
  return [
    { AttributeName: hash, KeyType: 'HASH' },
    { AttributeName: range, KeyType: 'RANGE' },
  ];
}
