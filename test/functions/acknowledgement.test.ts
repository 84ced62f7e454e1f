import { expect, it } from 'vitest';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { eth, PUNKS } from '#test/support/builders.ts';
import { createWorld, type World } from '#test/support/world.ts';

function floorIs(world: World, price: string): void {
  const point = { time: world.now(), price: eth(price), currency: 'eth', marketplaces: [] };
  world.answers.floor = () => ({ kind: 'ok', value: [point] });
}

async function minutes(world: World, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) await world.tick();
}

/** A rule that fires immediately and sends a reminder every ten minutes. */
async function reminding(): Promise<World> {
  const world = createWorld({ cadenceMinutes: 1 });
  const rule = { metric: 'floor_price', when: 'below' as const, threshold: '60', steps: '10' };
  const rules = [{ id: 'low', ...rule, repeat: { reminder: '10m' } }];
  floorIs(world, '59');
  await world.putList({ id: 'mine', name: 'Mine', contracts: [PUNKS], rules });
  await minutes(world, 2);
  return world;
}

const emailed = (world: World) =>
  world.published.filter(({ destinationId }) => destinationId === 'stack-topic');
const sent = (world: World) => emailed(world).map(({ alert }) => `${alert.kind} ${alert.value}`);

it('an acknowledged episode sends no reminders, but still sends worsening and recovery alerts', async () => {
  const world = await reminding();
  await minutes(world, 10);
  await world.acknowledge('mine', 'low', PUNKS);

  await minutes(world, 25);
  const silent = sent(world);
  floorIs(world, '50');
  await minutes(world, 2);
  floorIs(world, '61');
  await minutes(world, 2);

  expect(silent).toEqual(['fired 59', 'reminder 59']);
  expect(sent(world).slice(2)).toEqual(['worsened 50', 'recovered 61']);
});

it('an acknowledgement that silences "worsening" suppresses all alerts but the recovery, and ends with the episode', async () => {
  const world = await reminding();
  await world.acknowledge('mine', 'low', PUNKS, 'worsening');

  await minutes(world, 12);
  for (const price of ['45', '61', '58', '44']) {
    floorIs(world, price);
    await minutes(world, 2);
  }

  expect(sent(world)).toEqual(['fired 59', 'recovered 61', 'fired 58', 'worsened 44']);
});

it('the episode after an acknowledged one sends reminders again', async () => {
  const world = await reminding();
  await world.acknowledge('mine', 'low', PUNKS);
  floorIs(world, '61');
  await minutes(world, 2);
  floorIs(world, '58');

  await minutes(world, 13);

  expect(sent(world)).toEqual(['fired 59', 'recovered 61', 'fired 58', 'reminder 58']);
});

it('a rule that restarts after an acknowledgement sends reminders again', async () => {
  const world = await reminding();
  await world.acknowledge('mine', 'low', PUNKS);
  const rule = { metric: 'floor_price', when: 'below' as const, threshold: '59.5' };
  const rules = [{ id: 'low', ...rule, repeat: { reminder: '10m' } }];
  await world.putList({ id: 'mine', name: 'Mine', contracts: [PUNKS], rules });

  await minutes(world, 14);

  expect(sent(world)).toEqual(['fired 59', 'closed null', 'fired 59', 'reminder 59']);
});

it('an acknowledgement changes neither the state of the watch nor the times of its reminders', async () => {
  const worlds = [await reminding(), await reminding()] as const;
  await worlds[0].acknowledge('mine', 'low', PUNKS);

  for (const world of worlds) await minutes(world, 25);

  const [silent, heard] = await Promise.all(
    worlds.map((world) =>
      world.stores.watches.get({ tenant: 'acme', list: 'mine', rule: 'low', contract: PUNKS }),
    ),
  );
  expect(silent).toEqual(heard);
  expect(silent?.alerts).toBe(3);
});

it('reminders that a mute holds create no summary once their episode is acknowledged', async () => {
  const world = await reminding();
  await world.mute('mine', 45);
  await minutes(world, 15);
  await world.acknowledge('mine', 'low', PUNKS);

  await minutes(world, 40);

  expect(sent(world)).toEqual(['fired 59']);
});

it('even hundreds of reminders that a mute holds create no summary once their episode is acknowledged', async () => {
  const world = await reminding();
  await world.mute('mine', 300);
  await minutes(world, 290);
  await world.acknowledge('mine', 'low', PUNKS);

  await minutes(world, 30);

  expect(sent(world)).toEqual(['fired 59']);
});

it('the summary of a mute reports everything except the reminders of an acknowledged episode', async () => {
  const world = await reminding();
  await world.mute('mine', 30);
  await minutes(world, 15);
  await world.acknowledge('mine', 'low', PUNKS);
  floorIs(world, '61');
  await minutes(world, 20);

  expect(sent(world)).toEqual(['fired 59', 'summary 61']);
  expect(world.now()).toBeGreaterThan(30 * MINUTE);
});
