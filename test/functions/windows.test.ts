import { describe, expect, it } from 'vitest';
import type { Decimal } from '#shared/domain/market/decimal.ts';
import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { FloorPoint } from '#shared/domain/market/upstream.ts';
import { eth, PUNKS } from '#test/support/builders.ts';
import { createWorld, type World } from '#test/support/world.ts';

type Series = readonly { readonly time: Instant; readonly price: Decimal }[];

function showing(world: World, series: Series): void {
  const points = series.map(
    (point): FloorPoint => ({ ...point, currency: 'eth', marketplaces: ['opensea'] }),
  );
  world.answers.floor = (_contract, now) => ({
    kind: 'ok',
    value: points.filter(({ time }) => time <= now).toReversed(),
  });
}

const dueOf = (world: World, rule: string, start: Instant) =>
  world.published
    .filter(({ destinationId, alert }) => destinationId === 'stack-topic' && alert.rule === rule)
    .map(({ alert: { dataTime, kind, value } }) => {
      return `${(Date.parse(dataTime) - start) / MINUTE} ${kind} ${value}`;
    });

describe('a percentage that changes with its window', () => {
  const hour = (world: World, minute: number) => world.now() - 2 * HOUR + minute * MINUTE;
  const swinging = (world: World): Series =>
    Array.from({ length: 23 }, (_, index) => ({
      time: hour(world, index * 5),
      price: eth(index % 2 === 0 ? '64' : '60'),
    }));
  const rule = { id: 'up', metric: 'floor_change_pct.1h', when: 'above', threshold: '3' } as const;

  it.each([{ rule }, { rule: { ...rule, when: 'crosses' as const } }])(
    'a rule on a percentage reports nothing while the floor is unchanged, even if the window moves ($rule.when)',
    async ({ rule: written }) => {
      const world = createWorld({ cadenceMinutes: 1 });
      const start = world.now();
      showing(world, [...swinging(world), { time: start - 6 * MINUTE, price: eth('62') }]);
      await world.putList({ id: 'up', name: 'Up', contracts: [PUNKS], rules: [written] });

      while (world.now() < start + 3 * HOUR) await world.tick();

      expect(dueOf(world, 'up', start)).toEqual([]);
    },
  );

  it('a percentage that crosses the threshold of a rule and returns within the window causes one episode', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    const flapping = Array.from({ length: 12 }, (_, index) => ({
      time: start + (10 + index * 5) * MINUTE,
      price: eth(index % 2 === 0 ? '66' : '61'),
    }));
    showing(world, [{ time: start - 3 * HOUR, price: eth('60') }, ...flapping]);
    await world.putList({ id: 'up', name: 'Up', contracts: [PUNKS], rules: [rule] });

    while (world.now() < start + 4 * HOUR) await world.tick();

    expect(dueOf(world, 'up', start)).toEqual(['10 fired 10', '125 recovered 0']);
  });

  it('the previous value of a drawdown uses the window that ends at the time of the previous floor', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    const time = start + 10 * MINUTE;
    showing(world, [
      { time: time - 2 * HOUR, price: eth('80') },
      { time: time - HOUR, price: eth('66') },
      { time: time - 30 * MINUTE, price: eth('64') },
      { time, price: eth('60') },
    ]);
    const drawdown = {
      ...{ id: 'down', metric: 'floor_drawdown_pct.1h', when: 'crosses', threshold: '10' },
    };
    await world.putList({
      id: 'down',
      name: 'Down',
      contracts: [PUNKS],
      rules: [drawdown as never],
    });

    while (world.now() < start + 20 * MINUTE) await world.tick();

    const mailed = world.published.filter(({ destinationId }) => destinationId === 'stack-topic');
    expect(mailed.map(({ alert }) => alert)).toMatchObject([
      { kind: 'fired', value: '9.090909090909090909', previous: '20' },
    ]);
  });

  it.each(['eth', 'usdc'] as const)(
    'an answer without a value restarts `keepFor`: %s',
    async (currency) => {
      const world = createWorld({ cadenceMinutes: 1 });
      const start = world.now();
      const at = (minute: number, price: string) => ({
        ...{ time: start + minute * MINUTE, price: eth(price), currency: 'eth', marketplaces: [] },
      });
      const points = [
        ...[at(-180, '10'), at(2, '12'), at(6, '10.2'), { ...at(10, '10.3'), currency }],
        at(12, '10.1'),
      ];
      world.answers.floor = (_contract, now) => ({
        kind: 'ok',
        value: points.filter(({ time }) => time <= now) as FloorPoint[],
      });
      const rules = [{ ...rule, threshold: '10', keepFor: '10m' }];
      await world.putList({ id: 'up', name: 'Up', contracts: [PUNKS], rules });

      while (world.now() < start + 40 * MINUTE) await world.tick();

      const end = currency === 'eth' ? 16 : 22;
      const [fired, recovered] = dueOf(world, 'up', start);
      expect([fired, recovered?.replace(/^(\d+)\.\d+/, '$1')]).toEqual([
        '2 fired 20',
        `${end} recovered 1`,
      ]);
    },
  );

  it('the window of a trait fills with incoming floors, and polls without news write nothing', async () => {
    const ofTrait = `${PUNKS}?Fur=Gold` as const;
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    const priceAt = (now: Instant) => (now < start + 20 * MINUTE ? '20' : '18');
    world.answers.floor = (_contract, now) => {
      const price = eth(priceAt(now));
      const time = now < start + 20 * MINUTE ? start : start + 20 * MINUTE;
      const points = [{ time, price, currency: 'eth', marketplaces: [] }];
      return { kind: 'ok', value: { points, isCut: true } };
    };
    const rule = { id: 'it', metric: 'floor_drawdown_pct.1h', when: 'above', threshold: '9' };
    await world.putList({
      ...{ id: 'gold', name: 'Gold', contracts: [ofTrait], rules: [rule as never] },
    });

    while (world.now() < start + 5 * MINUTE) await world.tick();
    const settled = await world.stores.contracts.get(ofTrait);
    while (world.now() < start + 15 * MINUTE) await world.tick();
    const later = await world.stores.contracts.get(ofTrait);
    while (world.now() < start + 25 * MINUTE) await world.tick();

    expect(later?.version).toBe(settled?.version);
    const sent = world.published.filter(({ destinationId }) => destinationId === 'stack-topic');
    expect(sent.map(({ alert }) => [alert.kind, alert.value])).toEqual([['fired', '10']]);
  });
});
