import { expect, it } from 'vitest';
import { aStage, resourcesOf, synthesize, textOf } from '#test/infra/synthesized.ts';

it('subscribes every operator to the topic that gets every alert', () => {
  const operatorEmails = ['desk@example.com', 'treasury@example.com'];
  const template = synthesize(aStage({ operatorEmails }));

  const subscriptions = Object.values(resourcesOf(template, 'AWS::SNS::Subscription')).filter(
    ({ Properties }) => textOf(template, Properties.TopicArn) === 'Alerting/StackTopic',
  );

  expect(subscriptions.map(({ Properties }) => Properties.Endpoint)).toEqual(operatorEmails);
  for (const { Properties } of subscriptions) expect(Properties.Protocol).toBe('email');
});

it.each([
  { name: 'off without a webhook', changes: {}, expected: { slack: 'off', parameter: undefined } },
  {
    name: 'on with one',
    changes: { slackWebhookParameter: '/floorwatch/dev/slack-webhook' },
    expected: { slack: 'on', parameter: '/floorwatch/dev/slack-webhook' },
  },
])('has Slack $name', ({ changes, expected }) => {
  const functions = resourcesOf(synthesize(aStage(changes)), 'AWS::Lambda::Function');
  const variablesOf = (path: string) => functions[path]?.Properties.Environment.Variables;

  expect({
    slack: variablesOf('Alerting/RunJobs/Lambda').STACK_SLACK,
    parameter: variablesOf('Alerting/DeliverMessages/Lambda').SLACK_WEBHOOK_PARAMETER,
  }).toEqual(expected);
});

it('keeps what waits in the topic of all alerts encrypted', () => {
  const topic = resourcesOf(synthesize(aStage()), 'AWS::SNS::Topic')['Alerting/StackTopic'];

  expect(topic?.Properties.KmsMasterKeyId).toBe('alias/aws/sns');
});
