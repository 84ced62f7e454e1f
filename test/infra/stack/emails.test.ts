import { expect, it } from 'vitest';
import { aStage, resourcesOf, synthesize, textOf } from '#test/infra/synthesized.ts';

const without = synthesize(aStage());
const template = synthesize(aStage({ emailSender: 'alerts@example.com' }));
const only = (type: string) => Object.values(resourcesOf(template, type))[0]?.Properties ?? {};

it('has SES resources only with a sender address', () => {
  const types = Object.values(without.Resources).map(({ Type }) => Type);
  const functions = resourcesOf(without, 'AWS::Lambda::Function');
  const { Variables } = functions['Alerting/DeliverMessages/Lambda']?.Properties.Environment ?? {};

  expect(types.filter((type) => /SES|Events/.test(type))).toEqual([]);
  expect(Object.keys(Variables).filter((name) => name.startsWith('EMAIL'))).toEqual([]);
});

it('sends from the sender address through its own configuration set', () => {
  const functions = resourcesOf(template, 'AWS::Lambda::Function');

  expect(
    functions['Alerting/DeliverMessages/Lambda']?.Properties.Environment.Variables,
  ).toMatchObject({
    ...{ EMAIL_SENDER: 'alerts@example.com', EMAIL_CONFIGURATION_SET: 'floorwatch-dev' },
  });
  expect(only('AWS::SES::ConfigurationSet').Name).toBe('floorwatch-dev');
});

it('never sends again to an address after a bounce or a complaint', () => {
  const { SuppressionOptions } = only('AWS::SES::ConfigurationSet');

  expect(SuppressionOptions).toEqual({ SuppressedReasons: ['BOUNCE', 'COMPLAINT'] });
});

it('records bounces and complaints of its own emails only', () => {
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
