import { describe, expect, it } from 'vitest';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { someLimits } from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { createWorld, type World } from '#test/support/world.ts';

const CADENCE = 30;
/**
 * The budget suffices for thirty contracts every thirty minutes. The rate permits 150 calls a
 * minute.
 */
const LIMITS = someLimits({
  ...{ callsPerSecond: 5, budgetPerDay: 90_000, budgetPerMonth: 90_000 * 31 },
  costs: { ...evenCosts(1), floor: 50, traits: 50 },
  shares: { polling: 60, interface: 20 },
});
const LOW = { id: 'low', metric: 'floor_price', when: 'below', threshold: '1' } as const;

const contractsOf = (first: number, count: number): readonly ContractKey[] =>
  Array.from(
    { length: count },
    (_, index) => `eth:0x${((first + index) * 7919).toString(16).padStart(40, '0')}` as const,
  );

/** A stack whose quiet tenant watches ten contracts, and the poll times of each contract. */
async function aQuietStack() {
  const world = createWorld({
    start: Date.UTC(2026, 0, 1),
    cadenceMinutes: CADENCE,
    limits: LIMITS,
  });
  const asked = new Map<ContractKey, Instant[]>();
  world.answers.floor = (contract, now) => {
    asked.set(contract, [...(asked.get(contract) ?? []), now]);
    return {
      kind: 'ok',
      value: [{ time: now, price: 5n * 10n ** 18n, currency: 'eth', marketplaces: [] }],
    };
  };
  const quiet = contractsOf(1, 10);
  await put(world, 'quiet', 'mine', quiet);
  return { world, asked, quiet };
}

async function put(world: World, tenant: string, id: string, contracts: readonly ContractKey[]) {
  await world.putList({ id, name: id, contracts: [...contracts], rules: [LOW] }, tenant);
}

async function pass(world: World, minutes: number) {
  for (let minute = 0; minute < minutes; minute += 1) await world.tick();
}

/** The longest time between two polls of the same contract in a span. */
function longestWait(
  asked: ReadonlyMap<ContractKey, readonly Instant[]>,
  contracts: readonly ContractKey[],
  from: Instant,
  to: Instant,
): number {
  const waits = contracts.flatMap((contract) => {
    const times = [from, ...(asked.get(contract) ?? []).filter((at) => at > from), to];
    return times.slice(1).map((at, index) => at - (times[index] ?? from));
  });
  return Math.max(...waits) / MINUTE;
}

describe('a tenant with nine hundred invented addresses', () => {
  it('a tenant with nine hundred invented addresses delays no poll of another tenant', async () => {
    const { world, asked, quiet } = await aQuietStack();
    await pass(world, 2);
    const begin = world.now();
    await pass(world, 90);
    const attack = world.now();
    for (let list = 0; list < 10; list += 1) {
      await put(world, 'greedy', `list-${list}`, contractsOf(1000 + list * 100, 90));
    }
    await pass(world, 90);

    const before = longestWait(asked, quiet, begin, attack);
    const during = longestWait(asked, quiet, attack, world.now());

    expect(Math.round(before)).toBe(CADENCE);
    expect(during / before).toBeLessThanOrEqual(1.1);
  });

  it('a tenant with nine hundred invented addresses leaves others a share for a new contract', async () => {
    const { world, asked, quiet } = await aQuietStack();
    for (let list = 0; list < 10; list += 1) {
      await put(world, 'greedy', `list-${list}`, contractsOf(1000 + list * 100, 90));
    }
    await pass(world, 60);
    const [added = quiet[0]] = contractsOf(500, 1);
    const now = world.now();

    await put(world, 'quiet', 'new', [added as ContractKey]);
    await pass(world, 2);

    const [first = 0] = asked.get(added as ContractKey) ?? [];
    expect((first - now) / MINUTE).toBeLessThanOrEqual(2);
    expect(first).toBeGreaterThan(0);
  });

  it('a tenant with nine hundred invented addresses has a longer cadence, and gets only the remaining calls', async () => {
    const { world, asked } = await aQuietStack();
    for (let list = 0; list < 10; list += 1) {
      await put(world, 'greedy', `list-${list}`, contractsOf(1000 + list * 100, 90));
    }
    await pass(world, 60);

    const { stretched } = await world.stores.cadences.cadences();
    const calls = [...asked.values()].flat().length;

    expect(Object.keys(stretched)).toEqual(['greedy']);
    expect(stretched.greedy?.minutes).toBeGreaterThan(CADENCE * 16);
    // Ten contracts need 24,000 of the 72,000 units a day. Half of the rest is available for first
    // polls.
    expect(calls * 50).toBeLessThanOrEqual(24_000 / 24 + 24_000 + 2_000);
  });
});

describe('the tenants of a contract', () => {
  const [contract = 'eth:0x0'] = contractsOf(7, 1);
  const paused = { ...LOW, enabled: false };
  const tenantsOf = async (world: World) => (await world.stores.contracts.get(contract))?.tenants;
  const write = async (world: World, tenant: string, id: string, rules: readonly object[]) => {
    await world.putList(
      { id, name: id, contracts: [contract], rules: [...rules] as never },
      tenant,
    );
    await world.drain();
  };

  it('the tenants of a contract are all tenants that have an active rule on it in any of their lists', async () => {
    const world = createWorld();
    await write(world, 'umbrella', 'a', [LOW]);
    await write(world, 'acme', 'a', [LOW]);
    await write(world, 'acme', 'b', [LOW, { ...LOW, id: 'other' }]);
    const both = await tenantsOf(world);
    await write(world, 'acme', 'a', []);
    const still = await tenantsOf(world);
    await write(world, 'acme', 'b', [paused]);
    const one = await tenantsOf(world);
    await write(world, 'umbrella', 'a', [paused]);

    expect([both, still, one, await tenantsOf(world)]).toEqual([
      ['acme', 'umbrella'],
      ['acme', 'umbrella'],
      ['umbrella'],
      [],
    ]);
  });
});
