import { expect, it } from 'vitest';
import { aStage, resourcesOf, synthesize, textOf } from '#test/infra/synthesized.ts';

const without = synthesize(aStage());
const template = synthesize(aStage({ emailSender: 'alerts@example.com' }));
const only = (type: string) => Object.values(resourcesOf(template, type))[0]?.Properties ?? {};

it('has nothing of SES without a sender', () => {
  const types = Object.values(without.Resources).map(({ Type }) => Type);
  const functions = resourcesOf(without, 'AWS::Lambda::Function');
  const { Variables } = functions['Alerting/DeliverMessages/Lambda']?.Properties.Environment ?? {};

  expect(types.filter((type) => /SES|Events/.test(type))).toEqual([]);
  expect(Object.keys(Variables).filter((name) => name.startsWith('EMAIL'))).toEqual([]);
});

it('sends as the sender, by a configuration set of its own', () => {
  const functions = resourcesOf(template, 'AWS::Lambda::Function');

  expect(
    functions['Alerting/DeliverMessages/Lambda']?.Properties.Environment.Variables,
  ).toMatchObject({
    ...{ EMAIL_SENDER: 'alerts@example.com', EMAIL_CONFIGURATION_SET: 'floorwatch-dev' },
  });
  expect(only('AWS::SES::ConfigurationSet').Name).toBe('floorwatch-dev');
});

it('never sends to an address again that an email has come back from, or that has complained', () => {
  const { SuppressionOptions } = only('AWS::SES::ConfigurationSet');

  expect(SuppressionOptions).toEqual({ SuppressedReasons: ['BOUNCE', 'COMPLAINT'] });
});

it('has what comes back noted, of its own emails alone', () => {
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
    'Alerting/Bounces/NoteBounces/Lambda',
  ]);
});
