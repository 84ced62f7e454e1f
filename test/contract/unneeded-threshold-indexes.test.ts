import { describe, expect, it } from 'vitest';
import { runContracts } from '#functions/run-contracts/run-contracts.ts';
import type { Watch } from '#shared/domain/evaluation/watch.ts';
import type { RuleCondition } from '#shared/domain/rules/alert-rule.ts';
import { thresholdIndexText } from '#shared/domain/rules/threshold-index.ts';
import { aWatch, eth, PUNKS } from '#test/support/builders.ts';
import { createWorld, type World } from '#test/support/world.ts';

const SALE = { metric: 'lowest_price.7d', unit: 'eth' } as const;
const FLOOR_AND_SALE = {
  all: [
    { metric: 'floor_price', when: 'below', threshold: '60' },
    { metric: 'lowest_price.7d', when: 'below', threshold: '60' },
  ],
};
const FLOOR = { metric: 'floor_price', when: 'below', threshold: '60' };

const condition = { when: 'below', threshold: eth('55') } as const;
const also = [{ ...SALE, condition }];

function aRuleCondition(given: Partial<RuleCondition>): RuleCondition {
  return { ...aWatch().ruleCondition, ...given };
}

function aRestingWatch(tenant: string): Watch {
  return aWatch({ contract: PUNKS, tenant, state: 'ok', version: 0 });
}

/**
 * A contract with this number of watches that need only the floor. Each belongs to another tenant,
 * whose name sorts between `a` and `y`.
 */
async function crowded(watches: number): Promise<World> {
  const world = createWorld();
  for (let number = 0; number < watches; number += 1) {
    const tenant = `m-${String(number).padStart(6, '0')}`;
    await world.stores.watches.put(aRestingWatch(tenant));
  }
  return world;
}

/** Writes a list with one rule, and applies it. */
async function put(world: World, id: string, rule: object): Promise<void> {
  const rules = [{ id: 'rule', ...rule }] as never;
  await world.putList({ id, name: id, contracts: [PUNKS], rules });
  await world.drain();
}

/** Applies an unchanged list. */
async function apply(world: World, list: string): Promise<void> {
  const message = { kind: 'apply', contract: PUNKS, tenant: 'acme', list } as const;
  await runContracts(world.runContractsPorts(), message);
}

const thresholdIndexesOf = async (world: World) =>
  (await world.stores.contracts.get(PUNKS))?.thresholdIndexes.map(thresholdIndexText);

async function applied(world: World, list: string, times: number): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  for (let time = 0; time < times; time += 1) {
    await apply(world, list);
    seen.push(await thresholdIndexesOf(world));
  }
  return seen;
}

describe('a threshold index of a contract with many watches', () => {
  it('the cost of an edit does not grow with the watches of an unneeded threshold index', async () => {
    const queries = async (watches: number) => {
      const world = await crowded(watches);
      await put(world, 'mine', { ...FLOOR, metric: 'lowest_price.7d' });
      world.log.calls.splice(0);
      await put(world, 'mine', FLOOR);
      return world.log.calls.filter((call) => call === 'table.query').length;
    };

    expect(await queries(10_000)).toBe(await queries(20_000));
  });

  it('an unneeded threshold index is eventually removed, with its price series', async () => {
    const world = await crowded(5000);
    await put(world, 'mine', { ...FLOOR, metric: 'lowest_price.7d' });
    const before = await world.stores.contracts.get(PUNKS);
    await put(world, 'mine', FLOOR);

    await applied(world, 'mine', 2);
    const after = await world.stores.contracts.get(PUNKS);

    expect([before, after].map((record) => Object.keys(record?.series ?? {}))).toEqual([
      ['lowest.7d'],
      ['floor'],
    ]);
    expect(after?.thresholdIndexes.map(thresholdIndexText)).toEqual(['floor_price.eth']);
    expect(after?.sweep).toBeUndefined();
  });

  it.each<[string, string, Partial<Watch>]>([
    ['the last watch', 'z', { ruleCondition: aRuleCondition({ metric: 'lowest_price.7d' }) }],
    ['the first watch', 'a', { ruleCondition: aRuleCondition({ metric: 'lowest_price.7d' }) }],
    [
      'the last watch, which waits for its other condition',
      'z',
      { unmet: 0, ruleCondition: aRuleCondition({ also }) },
    ],
  ])('a threshold index remains while one watch needs it: %s', async (_name, tenant, given) => {
    const world = await crowded(5000);
    await put(world, 'mine', FLOOR_AND_SALE);
    await world.stores.watches.put({ ...aRestingWatch(tenant), ...given });
    await put(world, 'mine', FLOOR);

    for (const thresholdIndexes of await applied(world, 'mine', 8)) {
      expect(thresholdIndexes).toContain('lowest_price.7d.eth');
    }
  });

  it('a threshold index remains if a list that was already scanned begins to need it', async () => {
    const world = await crowded(5000);
    await put(world, 'mine', FLOOR_AND_SALE);
    await put(world, 'mine', FLOOR);
    const passed = (await world.stores.contracts.get(PUNKS))?.sweep?.unseen.map(thresholdIndexText);
    await put(world, 'other', { ...FLOOR, metric: 'lowest_price.7d' });

    const seen = await applied(world, 'mine', 4);

    expect(passed).toContain('lowest_price.7d.eth');
    expect(seen.at(-1)).toEqual(['floor_price.eth', 'lowest_price.7d.eth']);
  });
});
