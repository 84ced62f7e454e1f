import { describe, expect, it } from 'vitest';
import { resourcesOf, synthesize, textOf } from '#test/infra/synthesized.ts';

const template = synthesize();
const queues = resourcesOf(template, 'AWS::SQS::Queue');
const functions = resourcesOf(template, 'AWS::Lambda::Function');
const sources = Object.values(resourcesOf(template, 'AWS::Lambda::EventSourceMapping'));

type Statement = { readonly Action: unknown; readonly Resource: unknown };

describe.each([
  { actors: 'Polling/Contracts', consumer: 'Polling/RunContracts', batchSize: 1, atOnce: 50 },
  { actors: 'Alerting/Lists', consumer: 'Alerting/RunJobs', batchSize: 10, atOnce: 30 },
  { actors: 'Alerting/Channels', consumer: 'Alerting/DeliverMessages', batchSize: 1, atOnce: 200 },
])('the queue $actors', ({ actors, consumer, batchSize, atOnce }) => {
  const queue = queues[`${actors}/Queue`]?.Properties ?? {};
  const handler = functions[`${consumer}/Lambda`]?.Properties ?? {};

  it('the queue keeps the messages of each group in order, with a throughput limit per group', () => {
    expect(queue).toMatchObject({
      FifoQueue: true,
      ContentBasedDeduplication: false,
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
    });
  });

  it('recursion detection is off for a consumer that continues unfinished work through a message to its own queue', () => {
    const policy = resourcesOf(template, 'AWS::IAM::Policy')[`${consumer}/Role/DefaultPolicy`];
    const statements: readonly Statement[] = policy?.Properties.PolicyDocument.Statement ?? [];
    const sendsToItself = statements.some(
      ({ Action, Resource }) =>
        [Action].flat().includes('sqs:SendMessage') &&
        [Resource].flat().some((queue) => textOf(template, queue) === `${actors}/Queue`),
    );

    expect(handler.RecursiveLoop).toBe(sendsToItself ? 'Allow' : undefined);
  });

  it('the visibility timeout of a queue is at least six times the timeout of its handler', () => {
    expect(queue.VisibilityTimeout).toBeGreaterThanOrEqual(6 * handler.Timeout);
  });

  it('a message that keeps failing moves to the dead-letter queue before it expires', () => {
    const { deadLetterTargetArn, maxReceiveCount } = queue.RedrivePolicy;

    expect(textOf(template, deadLetterTargetArn)).toBe(`${actors}/DeadLetters`);
    expect(queues[`${actors}/DeadLetters`]?.Properties).toMatchObject({
      FifoQueue: true,
      MessageRetentionPeriod: 14 * 24 * 60 * 60,
    });
    expect(maxReceiveCount * queue.VisibilityTimeout).toBeLessThan(queue.MessageRetentionPeriod);
  });

  it('the queue has one consumer, with limited concurrency, which reports each failed message of a batch', () => {
    const consumers = sources.filter(
      ({ Properties }) => textOf(template, Properties.EventSourceArn) === `${actors}/Queue`,
    );

    expect(consumers).toHaveLength(1);
    expect(consumers[0]?.Properties).toMatchObject({
      BatchSize: batchSize,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: atOnce },
    });
    expect(textOf(template, consumers[0]?.Properties.FunctionName)).toBe(`${consumer}/Lambda`);
  });
});

it('every queue is encrypted and rejects requests without TLS', () => {
  const policies = Object.values(resourcesOf(template, 'AWS::SQS::QueuePolicy')).map(
    ({ Properties }) => Properties.PolicyDocument.Statement[0],
  );

  expect(policies).toHaveLength(Object.keys(queues).length);
  for (const policy of policies) {
    expect(policy).toMatchObject({
      Effect: 'Deny',
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    });
  }
  for (const { Properties } of Object.values(queues)) {
    expect(Properties.SqsManagedSseEnabled).toBe(true);
  }
});
