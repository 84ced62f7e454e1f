import { App, Duration, Stack } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { expect, it } from 'vitest';
import { DeliverMessagesEnvironment } from '#functions/deliver-messages/environment.ts';
import { NodeFunction, type NodeFunctionProps } from '#infra/node-function.ts';

type Variables = NodeFunctionProps<typeof DeliverMessagesEnvironment>['environment'];

it('does not compile with a variable too few, or one that nobody asked for', () => {
  const complete: Variables = { WATCH_TABLE: 'watches', SLACK_ORIGIN: 'https://hooks.slack.com' };
  // @ts-expect-error: SLACK_ORIGIN is missing
  const incomplete: Variables = { WATCH_TABLE: 'watches' };
  // @ts-expect-error: WATCH_TABLE is misspelt
  const misspelt: Variables = { ...complete, WATCHES_TABLE: 'watches' };

  expect([complete, incomplete, misspelt]).toHaveLength(3);
});

it('refuses a folder that has no handler', () => {
  const stack = new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Stack');

  expect(
    () =>
      new NodeFunction(stack, 'Function', {
        folder: 'deliver-letters',
        environmentSchema: DeliverMessagesEnvironment,
        environment: { WATCH_TABLE: 'watches', SLACK_ORIGIN: 'https://hooks.slack.com' },
        timeout: Duration.seconds(1),
        memorySize: 128,
        logRetention: RetentionDays.ONE_DAY,
      }),
  ).toThrow('deliver-letters');
});
