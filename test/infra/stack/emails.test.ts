import { expect, it } from 'vitest';
import { aStage, resourcesOf, synthesize, textOf } from '#test/infra/synthesized.ts';

const without = synthesize(aStage());
const template = synthesize(aStage({ emailSender: 'alerts@example.com' }));
const only = (type: string) => Object.values(resourcesOf(template, type))[0]?.Properties ?? {};

it('the stack has SES resources only if the stage has a sender address', () => {
  const types = Object.values(without.Resources).map(({ Type }) => Type);
  const functions = resourcesOf(without, 'AWS::Lambda::Function');
  const { Variables } = functions['Alerting/DeliverMessages/Lambda']?.Properties.Environment ?? {};

  expect(types.filter((type) => /SES|Events/.test(type))).toEqual([]);
  expect(Object.keys(Variables).filter((name) => name.startsWith('EMAIL'))).toEqual([]);
});

it('emails are sent from the sender address through the configuration set of the stage', () => {
  const functions = resourcesOf(template, 'AWS::Lambda::Function');

  expect(
    functions['Alerting/DeliverMessages/Lambda']?.Properties.Environment.Variables,
  ).toMatchObject({
    ...{ EMAIL_SENDER: 'alerts@example.com', EMAIL_CONFIGURATION_SET: 'floorwatch-dev' },
  });
  expect(only('AWS::SES::ConfigurationSet').Name).toBe('floorwatch-dev');
});

it('SES suppresses an address after a bounce or a complaint', () => {
  const { SuppressionOptions } = only('AWS::SES::ConfigurationSet');

  expect(SuppressionOptions).toEqual({ SuppressedReasons: ['BOUNCE', 'COMPLAINT'] });
});

it('only bounces and complaints of emails of the stage are recorded', () => {
  const { EventDestination } = only('AWS::SES::ConfigurationSetEventDestination');
  const { EventPattern, Targets } = only('AWS::Events::Rule');

  expect(EventDestination.MatchingEventTypes).toEqual(['bounce', 'complaint']);
  expect(textOf(template, EventDestination.EventBridgeDestination.EventBusArn)).toMatch(
    /:event-bus\/default$/,
  );
  expect(EventPattern).toEqual({
    source: ['aws.ses'],
    detail: {
      eventType: ['Bounce', 'Complaint'],
      mail: { tags: { 'ses:configuration-set': ['floorwatch-dev'] } },
    },
  });
  expect(Targets.map(({ Arn }: { Arn: unknown }) => textOf(template, Arn))).toEqual([
    'Alerting/Bounces/RecordBounces/Lambda',
  ]);
});
