import { describe, expect, it } from 'vitest';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { eth, PUNKS, someLimits } from '#test/support/builders.ts';
import { createWorld, type World } from '#test/support/world.ts';

/** A contract that is polled once a day unless a timer needs an answer. */
const RARELY = { cadenceMinutes: 1440 };

function floorIs(world: World, price: string): void {
  const time = world.now();
  const point = { time, price: eth(price), currency: 'eth', marketplaces: [] };
  world.answers.floor = () => ({ kind: 'ok', value: [point] });
}

async function watching(world: World, rule: object): Promise<void> {
  const rules = [{ id: 'rule', metric: 'floor_price', when: 'below', threshold: '60', ...rule }];
  await world.putList({ id: 'mine', name: 'Mine', contracts: [PUNKS], rules: rules as never });
  await world.tick();
}

async function minutes(world: World, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) await world.tick();
}

const sent = (world: World) =>
  world.published
    .filter(({ destinationId }) => destinationId === 'stack-topic')
    .map(({ alert }) => {
      const minute = (Date.parse(alert.dataTime) - begun(world)) / MINUTE;
      return `${minute} ${alert.kind} ${alert.value}`;
    });
const begun = (world: World) =>
  Math.min(...world.published.map(({ alert }) => Date.parse(alert.dataTime)));

describe('a timer of a watch', () => {
  it('a contract is polled in the minute in which a timer of its watch expires, even if its next poll is a day away', async () => {
    const world = createWorld(RARELY);
    const start = world.now();
    floorIs(world, '59');

    await watching(world, { for: '5m' });
    await minutes(world, 9);

    const [fired] = world.published;
    expect(fired?.alert).toMatchObject({ kind: 'fired', value: '59' });
    // The rule is written a minute after the start, and polled at the beginning of the next minute.
    expect(Date.parse(fired?.alert.dataTime ?? '') - start).toBeGreaterThanOrEqual(5 * MINUTE);
    expect(Date.parse(fired?.alert.at ?? '') - start).toBeLessThan(8 * MINUTE);
    expect(world.log.calls.filter((name) => name === 'upstream.floor').length).toBeLessThan(4);
  });

  it.each([50, 1])(
    'a timer is evaluated with the answers of its own minute, at %d calls a second',
    async (callsPerSecond) => {
      const world = createWorld({ cadenceMinutes: 1, limits: someLimits({ callsPerSecond }) });
      const start = world.now();
      floorIs(world, '59');
      const time = start - MINUTE;
      world.answers.lowest = () => ({
        kind: 'ok',
        value: { time, price: eth('58'), tokenIds: [], transactionHash: `0x${'a'.repeat(64)}` },
      });

      const all = [
        { metric: 'floor_price', when: 'below' as const, threshold: '60' },
        { metric: 'lowest_price.1d', when: 'below' as const, threshold: '60' },
      ];
      await world.putList({
        ...{ id: 'mine', name: 'Mine', contracts: [PUNKS] },
        rules: [{ id: 'rule', all, for: '5m' }],
      });
      await minutes(world, 12);

      const [fired] = world.published;
      expect(fired?.alert).toMatchObject({ kind: 'fired' });
      expect((Date.parse(fired?.alert.at ?? '') - start) / MINUTE).toBeCloseTo(7, 2);
    },
  );

  it('a timer takes effect with the first answer after its time', async () => {
    const world = createWorld(RARELY);
    floorIs(world, '59');
    await watching(world, { for: '5m' });
    await minutes(world, 4);
    world.pass(MINUTE / 2);
    floorIs(world, '58.5');
    world.pass(6 * MINUTE);

    await minutes(world, 4);

    expect(world.published[0]?.alert).toMatchObject({ kind: 'fired', value: '58.5' });
  });

  it('a timer takes effect only with an answer, even if the answer arrives late', async () => {
    const world = createWorld({ cadenceMinutes: 5 });
    floorIs(world, '59');
    await watching(world, { for: '5m' });
    const answer = world.answers.floor;
    world.answers.floor = () => ({ kind: 'failed', reason: 'timeout' });
    await minutes(world, 90);
    const during = sent(world);
    world.answers.floor = answer;

    await minutes(world, 10);

    expect(during).toEqual([]);
    expect(world.published[0]?.alert).toMatchObject({ kind: 'fired', value: '59' });
  });

  it('reminders of an open episode have fixed times', async () => {
    const world = createWorld(RARELY);
    floorIs(world, '59');

    await watching(world, { repeat: { reminder: '10m' } });
    await minutes(world, 25);

    // Reminders count from the start of the rule, two minutes after the floor.
    expect(sent(world)).toEqual(['0 fired 59', '12 reminder 59', '22 reminder 59']);
  });

  it('an episode ends after its recovery has lasted for `keepFor`', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    floorIs(world, '59');
    await watching(world, { keepFor: '10m' });
    await minutes(world, 3);
    floorIs(world, '70');

    await minutes(world, 15);

    expect(
      world.published
        .filter(({ destinationId }) => destinationId === 'stack-topic')
        .map(({ alert }) => [alert.kind, alert.value]),
    ).toEqual([
      ['fired', '59'],
      ['recovered', '70'],
    ]);
  });
});
