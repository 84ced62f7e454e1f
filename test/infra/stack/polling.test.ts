import { expect, it } from 'vitest';
import { costsAt } from '#shared/domain/market/operations.ts';
import { aStage, FULL_STAGE, resourcesOf, synthesize, textOf } from '#test/infra/synthesized.ts';

const template = synthesize();
const SCHEDULED = ['PollPrices', 'WakeWork'];
const tickOf = (name: string) =>
  resourcesOf(template, 'AWS::Scheduler::Schedule')[`Polling/${name}Tick`]?.Properties ?? {};

it.each(SCHEDULED)('the schedule invokes %s once a minute, with the time of the tick', (name) => {
  const tick = tickOf(name);

  expect(tick).toMatchObject({
    ScheduleExpression: 'rate(1 minute)',
    State: 'ENABLED',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: { Input: '{"time":"<aws.scheduler.scheduled-time>"}' },
  });
  expect(textOf(template, tick.Target.Arn)).toBe(`Polling/${name}/Lambda`);
});

it.each(SCHEDULED)(
  'a failed tick of %s is never retried, and is dropped after a minute',
  (name) => {
    const { RetryPolicy, DeadLetterConfig } = tickOf(name).Target;
    const configurations = resourcesOf(template, 'AWS::Lambda::EventInvokeConfig');
    const failures = configurations[`Polling/${name}Failures`];

    expect(RetryPolicy).toEqual({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
    expect(textOf(template, DeadLetterConfig.Arn)).toBe('Polling/MissedTicks');
    expect(failures?.Properties).toMatchObject({
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    });
  },
);

it('polls get the upstream limits of the stage from environment variables', () => {
  const stage = aStage({
    upstreamUrl: 'http://127.0.0.1:4000',
    pollCadenceMinutes: 5,
    upstreamCallsPerSecond: 7,
    upstreamBudgetPerDay: 70,
    upstreamBudgetPerMonth: 700,
  });
  const functions = resourcesOf(synthesize(stage), 'AWS::Lambda::Function');

  expect(functions['Polling/PollPrices/Lambda']?.Properties.Environment.Variables).toMatchObject({
    POLL_CADENCE_MINUTES: '5',
    UPSTREAM_CALLS_PER_SECOND: '7',
    UPSTREAM_BUDGET_PER_DAY: '70',
    UPSTREAM_BUDGET_PER_MONTH: '700',
    UPSTREAM_COSTS: JSON.stringify(costsAt('nft-data')),
    UPSTREAM_SHARES: '{"polling":60,"interface":20}',
    UPSTREAM_PROVIDER: 'nft-data',
    UPSTREAM_URL: 'http://127.0.0.1:4000',
    UPSTREAM_KEY_PARAMETER: '/floorwatch/dev/upstream-key',
    OTHER_PROVIDERS: '[]',
  });
});

it('polls get the other providers of the stage, with permission to read their keys', () => {
  const synthesized = synthesize(FULL_STAGE);
  const polls = resourcesOf(synthesized, 'AWS::Lambda::Function')['Polling/PollPrices/Lambda'];

  expect(JSON.parse(polls?.Properties.Environment.Variables.OTHER_PROVIDERS)).toEqual(
    FULL_STAGE.otherProviders,
  );
  expect(JSON.stringify(resourcesOf(synthesized, 'AWS::IAM::Policy'))).toContain(
    'parameter/floorwatch/dev/coingecko-key',
  );
});

it.each([
  { stage: aStage({ upstreamCallsPerSecond: 30 }), megabytes: 512 },
  { stage: FULL_STAGE, megabytes: 1769 },
])(
  'a stage with $stage.upstreamCallsPerSecond calls a second has $megabytes MB of memory for polls',
  ({ stage, megabytes }) => {
    const synthesized = synthesize(stage);
    const polls = resourcesOf(synthesized, 'AWS::Lambda::Function')['Polling/PollPrices/Lambda'];

    expect(polls?.Properties.MemorySize).toBe(megabytes);
  },
);
