import { expect, it } from 'vitest';
import { FULL_STAGE, resourcesOf, synthesize, textOf } from '#test/infra/synthesized.ts';

it('every operator is subscribed to the topic of the operators', () => {
  const template = synthesize(FULL_STAGE);

  const subscriptions = Object.values(resourcesOf(template, 'AWS::SNS::Subscription')).filter(
    ({ Properties }) => textOf(template, Properties.TopicArn) === 'Alerting/StackTopic',
  );

  expect(subscriptions.map(({ Properties }) => Properties.Endpoint)).toEqual(
    FULL_STAGE.operatorEmails,
  );
  for (const { Properties } of subscriptions) expect(Properties.Protocol).toBe('email');
});

it.each([
  { name: 'off without a webhook', stage: undefined, slack: 'off', parameter: undefined },
  {
    ...{ name: 'on with one', stage: FULL_STAGE, slack: 'on' },
    parameter: FULL_STAGE.slackWebhookParameter,
  },
])("the operators' Slack is $name", ({ stage, slack, parameter }) => {
  const functions = resourcesOf(synthesize(stage), 'AWS::Lambda::Function');
  const variablesOf = (path: string) => functions[path]?.Properties.Environment.Variables;

  expect({
    slack: variablesOf('Alerting/RunJobs/Lambda').STACK_SLACK,
    parameter: variablesOf('Alerting/DeliverMessages/Lambda').SLACK_WEBHOOK_PARAMETER,
  }).toEqual({ slack, parameter });
});

it('the topic of the operators is encrypted at rest', () => {
  const topic = resourcesOf(synthesize(), 'AWS::SNS::Topic')['Alerting/StackTopic'];

  expect(topic?.Properties.KmsMasterKeyId).toBe('alias/aws/sns');
});
