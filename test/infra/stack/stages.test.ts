import { describe, expect, it } from 'vitest';
import { createFloorwatchApp } from '#infra/stack/floorwatch-app.ts';
import { findStage, Stage } from '#infra/stack/stages.ts';
import { withoutBundling } from '#test/infra/synthesized.ts';
import { evenCosts } from '#test/support/even-costs.ts';

it.each(['dev', 'prod'])('the stage %s is found by its name', (name) => {
  expect(findStage(name)).toMatchObject({
    name,
    upstreamKeyParameter: `/floorwatch/${name}/upstream-key`,
  });
});

it('an unknown stage is rejected, and the error names the known ones', () => {
  expect(() => createFloorwatchApp({ context: { stage: 'staging' } })).toThrow(
    'there is no stage "staging"; known stages are dev, prod',
  );
});

it.each([
  { name: 'dev', context: {} },
  { name: 'prod', context: { stage: 'prod' } },
])('the context $context deploys the stage $name', ({ name, context }) => {
  const app = createFloorwatchApp({ context: { ...withoutBundling, ...context } });

  expect(app.node.findChild('Floorwatch')).toMatchObject({ stackName: `floorwatch-${name}` });
});

it.each(['eu-west-1', 'us-east-1'])(
  'a stage in eu-west-1 accepts a certificate only from its own region, not from others: %s',
  (region) => {
    const certificate = `arn:aws:acm:${region}:123456789012:certificate/1`;
    const settings = {
      deployedTo: { account: '123456789012', region: 'eu-west-1' },
      domain: { name: 'floors.example.com', certificate },
    };

    if (region === 'eu-west-1') expect(findStage('prod', settings)).toMatchObject(settings);
    else expect(() => findStage('prod', settings)).toThrow("certificate in the stage's region");
  },
);

describe('the other providers of a stage', () => {
  it('other providers have their default URL, limits and key, unless the settings override them', () => {
    const { otherProviders } = findStage('dev', {
      otherProviders: [{ provider: 'coingecko', budgetPerMonth: 500_000 }],
    });

    expect(otherProviders).toEqual([
      {
        ...{ provider: 'coingecko', url: 'https://api.coingecko.com', callsPerSecond: 1 },
        ...{ keyParameter: '/floorwatch/dev/coingecko-key', budgetPerHour: 60 },
        ...{ budgetPerDay: 500, budgetPerMonth: 500_000 },
        costs: { ...evenCosts(0), floor: 1 },
      },
    ]);
  });

  it.each([
    ['the main provider again', ['nft-data']],
    ['one provider twice', ['coingecko', 'coingecko']],
  ] as const)('a stage is rejected if its other providers include %s', (_, names) => {
    const otherProviders = names.map((provider) => ({ provider }));

    expect(() => findStage('dev', { otherProviders })).toThrow(
      'expected each provider at most once',
    );
  });
});

describe('a stage', () => {
  it.each([
    { name: 'has a hyphen in its name', change: { name: 'prod-eu' } },
    { name: 'has a misspelt member', change: { operatorMails: [] } },
    { name: 'has an invalid email address', change: { operatorEmails: ['nobody'] } },
    { name: 'has no budget', change: { upstreamBudgetPerDay: 0 } },
    { name: 'has a key instead of a name', change: { upstreamKeyParameter: 'eyJhbGciOi' } },
    { name: 'has a channel key instead of a name', change: { channelKeyParameter: 'a2V5' } },
    { name: 'has an unknown webhook destination', change: { webhookDestinations: 'anywhere' } },
    { name: 'lacks the costs of calls', change: { upstreamCosts: { floor: 50 } } },
  ])('a stage is rejected if it $name', ({ change }) => {
    expect(Stage.safeParse({ ...findStage('dev'), ...change }).success).toBe(false);
  });
});
