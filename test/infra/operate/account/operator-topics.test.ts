import { SNSClient } from '@aws-sdk/client-sns';
import { expect, it, onTestFinished } from 'vitest';
import { readOperatorTopics, sendTestPage } from '#infra/operate/account/operator-topics.ts';
import { anOperatorSns } from '#test/support/operator-sns.ts';

async function aClient(...given: Parameters<typeof anOperatorSns>) {
  const { endpoint, published } = await anOperatorSns(...given);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new SNSClient({ endpoint, region: 'us-east-1', credentials });
  onTestFinished(() => client.destroy());
  return { client, published };
}

const OPERATORS = ['ops@example.com', 'night@example.com', 'gone@example.com'];

it('an operator is confirmed if SNS lists an ARN for the subscription, not "PendingConfirmation" or "Deleted"', async () => {
  const { client } = await aClient({
    'alarms-of-floorwatch-dev2': { 'other@example.com': 'confirmed' },
    'alarms-of-floorwatch-dev': {
      'ops@example.com': 'confirmed',
      'night@example.com': 'PendingConfirmation',
      'left@example.com': 'Deleted',
      'arn:aws:sqs:us-east-1:123456789012:on-call': 'confirmed',
    },
    'tickets-of-floorwatch-dev': { 'ops@example.com': 'confirmed' },
  });

  const topics = await readOperatorTopics(client, 'dev', OPERATORS);

  expect(topics?.pages).toEqual({
    name: 'alarms-of-floorwatch-dev',
    arn: 'arn:aws:sns:us-east-1:123456789012:alarms-of-floorwatch-dev',
    confirmed: ['ops@example.com', 'arn:aws:sqs:us-east-1:123456789012:on-call'],
    unconfirmed: ['night@example.com', 'gone@example.com', 'left@example.com'],
  });
  expect(topics?.tickets.unconfirmed).toEqual(['night@example.com', 'gone@example.com']);
});

it('a test page is sent to the topic for pages, and is marked as a test', async () => {
  const { client, published } = await aClient({
    'alarms-of-floorwatch-dev': { 'ops@example.com': 'confirmed' },
    'tickets-of-floorwatch-dev': {},
  });
  const topics = await readOperatorTopics(client, 'dev', []);

  if (topics !== undefined) await sendTestPage(client, topics.pages, 'dev');

  expect(published).toEqual([
    expect.objectContaining({
      TopicArn: 'arn:aws:sns:us-east-1:123456789012:alarms-of-floorwatch-dev',
      Subject: 'Test page from floorwatch dev',
      Message: expect.stringMatching(/^This is a test, requested with /),
    }),
  ]);
});

it('readOperatorTopics returns undefined for a stage without alarm topics', async () => {
  const { client } = await aClient({ 'alarms-of-floorwatch-dev2': {} });

  expect(await readOperatorTopics(client, 'dev', OPERATORS)).toBeUndefined();
});
