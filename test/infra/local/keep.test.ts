import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateTopicCommand,
  ListSubscriptionsByTopicCommand,
  SubscribeCommand,
} from '@aws-sdk/client-sns';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createKeeper,
  expectKeptMarket,
  type MarketIdentity,
  nothingKept,
  readKept,
  restoreSubscriptions,
} from '#infra/local/keep.ts';
import { startEngines } from '#infra/local/runtime/engines.ts';
import { world } from './runtime/world.ts';

const noon = Date.parse('2022-01-10T12:00:00Z');

it('finds the time, the market and the subscriptions of an earlier run', async () => {
  const folder = await aFolder();
  const [before, after] = [
    await world({ resources: {}, handlers: {} }),
    await world({ resources: {}, handlers: {} }),
  ];
  const { TopicArn } = await before.engines.sns.send(new CreateTopicCommand({ Name: 'punks' }));
  const desk = { TopicArn, Protocol: 'email', Endpoint: 'desk@example.com' };
  await before.engines.sns.send(new SubscribeCommand(desk));

  const market: MarketIdentity = { kind: 'simulated', seed: 7, from: noon };
  const nothing = await readKept(folder);
  const keeper = createKeeper(folder, { ...nothing, time: noon, market }, before.engines.sns);
  await Promise.all([keeper.keepSubscriptions(), keeper.keepTime(noon + 60_000)]);
  const kept = await readKept(folder);
  await restoreSubscriptions(after.engines.sns, kept);
  const { Subscriptions } = await after.engines.sns.send(
    new ListSubscriptionsByTopicCommand({ TopicArn }),
  );

  const { table, channelKey } = nothing;
  expect(nothing.subscriptions).toEqual([]);
  expect(kept).toMatchObject({ time: noon + 60_000, market, table, channelKey });
  expect(Subscriptions).toMatchObject([desk]);
});

it('has kept a subscription before its maker is reported', async () => {
  const folder = await aFolder();
  const kept = await readKept(folder);
  const { sns, close } = await startEngines({
    parameters: new Map(),
    now: Date.now,
    onPublish: async () => {},
    onSubscriptionsChange: () => createKeeper(folder, kept, sns).keepSubscriptions(),
  });
  onTestFinished(close);
  const { TopicArn } = await sns.send(new CreateTopicCommand({ Name: 'punks' }));

  await sns.send(
    new SubscribeCommand({ TopicArn, Protocol: 'email', Endpoint: 'desk@example.com' }),
  );

  expect((await readKept(folder)).subscriptions).toMatchObject([{ Endpoint: 'desk@example.com' }]);
  const { mode } = await stat(join(folder, 'state.json'));
  expect((mode & 0o777).toString(8)).toBe('600');
});

it('begins with another table as long as nothing is kept: the first may never have been finished', async () => {
  const folder = await aFolder();

  expect((await readKept(folder)).table).not.toBe((await readKept(folder)).table);
});

const otherKey = JSON.stringify({ ...(await nothingKept()), channelKey: 'a2V5' });
it.each(['', '{"time": 1641', '{"time": "noon"}', otherKey])(
  'refuses the state %o as damaged',
  async (state) => {
    const folder = await aFolder();
    await writeFile(join(folder, 'state.json'), state);

    await expect(readKept(folder)).rejects.toMatchObject({
      code: 'usage',
      message: `--keep ${folder}: state.json cannot be read: it is damaged`,
    });
  },
);

describe('going on with what was kept', async () => {
  const simulated = { kind: 'simulated', seed: 7 } as const;
  const replayed = { kind: 'replayed', folder: '/data' } as const;
  const real = { kind: 'real', url: 'https://nft.example', key: 'secret', others: [] } as const;
  const nothing = await nothingKept();

  it.each([
    { kept: { ...simulated, from: noon }, market: simulated },
    { kept: { ...simulated, from: noon }, market: simulated, from: noon },
    { kept: { ...replayed, from: noon }, market: { ...replayed, folder: '/data/' } },
    { kept: { kind: 'real' } as const, market: real },
    { kept: undefined, market: simulated, from: noon },
  ])('takes the market that it was: $market', ({ kept, market, from }) => {
    expect(() =>
      expectKeptMarket('kept', { ...nothing, market: kept }, { market, from }),
    ).not.toThrow();
  });

  it.each([
    { market: { ...simulated, seed: 8 }, issue: 'of --seed 7, not the simulated' },
    { market: replayed, issue: 'of --seed 7, not --data /data' },
    { market: real, issue: 'of --seed 7, not the real service' },
    {
      market: simulated,
      from: noon + 1,
      issue: '--keep kept holds a run from 2022-01-10T12:00:00.000Z; leave --from out',
    },
  ])('refuses another: $issue', ({ market, from, issue }) => {
    const kept = { ...nothing, market: { ...simulated, from: noon } };

    expect(() => expectKeptMarket('kept', kept, { market, from })).toThrow(issue);
  });

  it('refuses other data than were replayed', () => {
    const kept = { ...nothing, market: { ...replayed, from: noon } };
    const market = { ...replayed, folder: '/other' };

    expect(() => expectKeptMarket('kept', kept, { market, from: undefined })).toThrow(
      '--keep kept holds --data /data, not --data /other',
    );
  });
});

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'floorwatch-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}
