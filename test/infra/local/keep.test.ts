import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateTopicCommand,
  ListSubscriptionsByTopicCommand,
  SubscribeCommand,
} from '@aws-sdk/client-sns';
import { expect, it, onTestFinished } from 'vitest';
import { keepState, readKept, restoreSubscriptions } from '#infra/local/keep.ts';
import { world } from './runtime/world.ts';

it('finds the time and the subscriptions of an earlier run', async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'floorwatch-test-')), 'kept');
  onTestFinished(() => rm(folder, { recursive: true }));
  const [before, after] = [
    await world({ resources: {}, handlers: {} }),
    await world({ resources: {}, handlers: {} }),
  ];
  const { TopicArn } = await before.engines.sns.send(new CreateTopicCommand({ Name: 'punks' }));
  const desk = { TopicArn, Protocol: 'email', Endpoint: 'desk@example.com' };
  await before.engines.sns.send(new SubscribeCommand(desk));

  const nothing = await readKept(folder);
  await keepState(folder, 1_641_816_000_000, before.engines.sns);
  const kept = await readKept(folder);
  await restoreSubscriptions(after.engines.sns, kept);
  const { Subscriptions } = await after.engines.sns.send(
    new ListSubscriptionsByTopicCommand({ TopicArn }),
  );

  expect(nothing).toEqual({ subscriptions: [] });
  expect(kept.time).toBe(1_641_816_000_000);
  expect(Subscriptions).toMatchObject([desk]);
});
