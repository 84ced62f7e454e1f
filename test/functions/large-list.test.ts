import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runContracts } from '#functions/run-contracts/run-contracts.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { ContractMessage } from '#shared/domain/messages/contract-message.ts';
import { runsOf } from '#test/support/extent.ts';
import { createWorld, Killed } from '#test/support/world.ts';

type World = ReturnType<typeof createWorld>;

const CONTRACTS = Array.from({ length: 12 }, (_, n) => `eth:0x${n.toString(16).padStart(40, '0')}`);

/** A list of consecutive contracts from index `from` on, with rules at rising thresholds. */
function aList(from: number, contracts: number, rules: number, threshold: number) {
  return {
    id: 'large',
    name: 'Large',
    contracts: CONTRACTS.slice(from, from + contracts),
    rules: Array.from({ length: rules }, (_, n) => ({
      id: `rule-${n}`,
      metric: 'floor_price' as const,
      when: 'below' as const,
      threshold: `${threshold + n}`,
    })),
  };
}

const lists = fc
  .tuple(fc.nat(8), fc.integer({ min: 0, max: 6 }), fc.nat(4), fc.constantFrom(60, 160))
  .map((given) => aList(...given));

it('the last written version of a list takes effect without leftover watches, wherever workers were interrupted', async () => {
  const property = fc.asyncProperty(
    lists,
    lists,
    fc.nat(80),
    fc.array(fc.nat(60), { maxLength: 3 }),
    async (first, second, before, kills) => {
      const world = createWorld();
      await world.putList(first);
      await workUpTo(world, before);

      await world.putList(second);
      for (const kill of kills) {
        await workUpTo(world, kill);
        // The interrupted message is lost, so only the job of the list repeats its work.
        world.queues.contracts.remove();
      }
      for (let minute = 0; minute < 4; minute += 1) await world.tick();

      const requested = second.contracts.flatMap((contract) =>
        second.rules.map(({ id, threshold }) => `${contract} ${id} ${threshold}`),
      );
      expect(await watchesIn(world)).toEqual(requested.toSorted());
      expect(await world.stores.jobs.countContracts({ tenant: 'acme', id: 'large' })).toBe(0);
    },
  );
  await fc.assert(property, runsOf(100));
});

/** Applies the list, but stops after this number of calls to the table and the queues. */
async function workUpTo(world: World, calls: number): Promise<void> {
  const { waiting, remove } = world.queues.contracts;
  world.log.killAfter = world.log.calls.length + 1 + calls;
  try {
    for (let [message] = waiting; message !== undefined; [message] = waiting) {
      const read = ContractMessage.parse(JSON.parse(message.body));
      await runContracts(world.runContractsPorts(), read);
      remove();
    }
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  } finally {
    world.log.killAfter = undefined;
  }
}

/** The watches of all contracts in the table, as text. */
async function watchesIn({ table, stores }: World): Promise<readonly string[]> {
  const contracts = new Set(
    table.items().flatMap(({ pk }) => (pk.startsWith('WATCHES#') ? [pk.slice(8)] : [])),
  );
  const list = { tenant: 'acme', list: 'large' };
  const found = await Promise.all(
    [...contracts].map((contract) => stores.watches.ofList(list, ContractKey.parse(contract))),
  );
  return found
    .flat()
    .map(({ contract, rule, ruleCondition: { condition } }) => {
      const threshold = 'threshold' in condition ? formatDecimal(condition.threshold) : '';
      return `${contract} ${rule} ${threshold}`;
    })
    .toSorted();
}
