import { describe, expect, it } from 'vitest';
import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { eth, PUNKS } from '#test/support/builders.ts';
import { createWorld, type World } from '#test/support/world.ts';

const put = (world: World, rule: object) =>
  world.putList({
    id: 'mine',
    name: 'Mine',
    contracts: [PUNKS],
    rules: [{ id: 'it', ...rule } as never],
  });
const minutes = async (world: World, count: number) => {
  for (let minute = 0; minute < count; minute += 1) await world.tick();
};
const told = (world: World) =>
  world.published
    .filter(({ sink }) => sink === 'stack-topic')
    .map(({ alert }) => `${alert.kind} ${alert.value}`);

describe('dust and gifts among the sales', () => {
  const DAY = 24 * HOUR;
  const sold = (world: World, ...sales: readonly (readonly [time: Instant, price: string])[]) => {
    world.answers.lowest = (_contract, _days, now) => {
      const [lowest] = sales
        .filter(([time]) => time <= now && time > now - DAY)
        .map(([time, price]) => ({ time, price: eth(price), tokenIds: ['1'] }))
        .toSorted((a, b) => (a.price < b.price ? -1 : 1));
      return lowest === undefined ? { kind: 'empty' } : { kind: 'ok', value: lowest };
    };
  };
  const SALE = { metric: 'lowest_price.1d', when: 'below', threshold: '10' };

  it('wake nobody, and the next price does', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    sold(
      world,
      [start - HOUR, '12'],
      [start - DAY + 5 * MINUTE, '0.00000013'],
      [start - HOUR, '9'],
    );
    await put(world, SALE);

    await minutes(world, 4);
    const before = told(world);
    await minutes(world, 4);

    expect([before, told(world)]).toEqual([[], ['fired 9']]);
  });

  it('neither end an episode nor are what its reminders tell', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    sold(world, [start - MINUTE, '9'], [start + 4 * MINUTE, '0.07']);
    await put(world, {
      ...SALE,
      when: 'inside',
      threshold: undefined,
      low: '8',
      high: '10',
      repeat: { reminder: '2m' },
    });

    await minutes(world, 12);

    expect(told(world)).toEqual(['fired 9', 'reminder 9']);
  });

  it('are prices like any other for who says so', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    sold(world, [world.now() - MINUTE, '0.00000013']);
    await put(world, { ...SALE, ignoreBelow: '0' });

    await minutes(world, 2);

    expect(told(world)).toEqual(['fired 0.00000013']);
  });

  it('are more than dust for who says so', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    sold(world, [world.now() - MINUTE, '4']);
    await put(world, { ...SALE, ignoreBelow: '5' });

    await minutes(world, 2);

    expect(told(world)).toEqual([]);
  });
});
