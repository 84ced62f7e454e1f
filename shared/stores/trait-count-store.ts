import * as z from 'zod';
import { createTraitCounts, MOST_COUNTED } from '#shared/domain/archive/trait-counts.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';
import type { BatchTable, BulkTable } from './bulk-table.ts';
import { readItem } from './read-item.ts';
import { beginningWith, type Item, queryAll } from './table.ts';

/**
 * For each of the given traits, in the same order, the number of the contract's tokens with this
 * trait.
 */
export type CountTokens = (
  contract: ContractKey,
  traits: readonly string[],
) => Promise<readonly number[]>;

export function createTokenCounter(table: BatchTable): CountTokens {
  return async (contract, traits) => {
    const counts = await readCounts(table, contract, traits);
    return traits.map((trait) => counts.get(trait) ?? 0);
  };
}

/**
 * Maintains the counts. Each contract has a register of the imports that are changing its tokens.
 * An import registers before it reads the tokens to change, and leaves after it has written the
 * counts. If no other import was registered in between, the import adds its differences to the
 * counts. Otherwise, and when a killed import is repeated, all tokens are counted again.
 *
 * The counts are therefore exact when the register is empty: the last import counted after all
 * earlier imports had written their changes, and while no other import registered or left.
 */
export type TraitCountArchive = {
  /**
   * Returns whether this run of the import registered for one of the contracts for the first time.
   */
  readonly register: (contracts: ReadonlySet<ContractKey>, importer: string) => Promise<boolean>;
  /** Records that the traits of a token changed from `before` to `after`. */
  readonly note: (
    contract: ContractKey,
    importer: string,
    before: ReadonlySet<string>,
    after: ReadonlySet<string>,
  ) => void;
  /** Writes the counts and leaves the register. Writes nothing for an import without changes. */
  readonly settle: (contracts: ReadonlySet<ContractKey>, importer: string) => Promise<void>;
};

type TraitCount = readonly [trait: string, count: number];

/** A running import. */
type Run = {
  /** The version of the register that this import wrote. */
  readonly version: number;
  readonly beganAlone: boolean;
  /** Undefined if all tokens must be counted again. */
  differences?: Map<string, number> | undefined;
};

/**
 * The traits of each token of a contract. With `mendsPostings`, missing postings are restored
 * first.
 */
export type ReadTraits = (
  contract: ContractKey,
  mendsPostings: boolean,
) => AsyncIterable<ReadonlySet<string>>;

export function createTraitCountArchive(
  table: BulkTable,
  readTraits: ReadTraits,
): TraitCountArchive {
  const runs = new Map<string, Run>();
  const runOf = (contract: ContractKey, importer: string) => `${contract} ${importer}`;

  const readRegister = async (contract: ContractKey) => {
    const item = await table.get(registerOf(contract));
    return item === undefined ? undefined : readItem('importRegister', RegisterItem, item);
  };

  const enter = async (contract: ContractKey, importer: string): Promise<Run> => {
    const { version, importers } = (await readRegister(contract)) ?? NOBODY_COUNTED;
    if (importers.includes(importer)) return { version, beganAlone: false };
    const next = { version: version + 1, importers: [...importers, importer] };
    await table.put({ ...registerOf(contract), ...next }, version);
    const beganAlone = importers.length === 0;
    const isCounted = version > 0 && beganAlone;
    return { version: next.version, beganAlone, ...(isCounted && { differences: new Map() }) };
  };

  const putCounts = async (contract: ContractKey, counts: readonly TraitCount[]) => {
    const items = counts.map(([trait, count]) => ({ ...countOf(contract, trait), count }));
    await table.putAll(items.filter(({ count }) => count > 0));
    await table.deleteAll(items.filter(({ count }) => count <= 0));
  };

  const addDifferences = async (
    contract: ContractKey,
    differences: ReadonlyMap<string, number>,
  ) => {
    const changes = [...differences].filter(([, difference]) => difference !== 0);
    const traits = changes.map(([trait]) => trait);
    const known = await readCounts(table, contract, traits);
    const counts = changes.map(
      ([trait, difference]): TraitCount => [trait, (known.get(trait) ?? 0) + difference],
    );
    await putCounts(contract, counts);
  };

  const countAnew = async (contract: ContractKey, mendsPostings: boolean) => {
    const counting = createTraitCounts();
    for await (const traits of readTraits(contract, mendsPostings)) counting.add(traits);
    const counts = counting.counts();
    const items = await queryAll(table, tokensOf(contract), beginningWith(COUNT));
    const known = new Map(items.map(countIn));
    const wrong = [...counts].filter(([trait, count]) => known.get(trait) !== count);
    const gone = [...known.keys()].filter((trait) => !counts.has(trait));
    await putCounts(contract, [...wrong, ...gone.map((trait): TraitCount => [trait, 0])]);
  };

  return {
    register: async (contracts, importer) => {
      const unknown = [...contracts].filter((contract) => !runs.has(runOf(contract, importer)));
      for (const contract of unknown) {
        const run = await retryingConflicts(() => enter(contract, importer));
        runs.set(runOf(contract, importer), run);
      }
      return unknown.length > 0;
    },

    note: (contract, importer, before, after) => {
      const run = runs.get(runOf(contract, importer));
      const differences = run?.differences;
      if (run === undefined || differences === undefined) return;
      const add = (trait: string, difference: number) =>
        differences.set(trait, (differences.get(trait) ?? 0) + difference);
      for (const trait of after.difference(before)) add(trait, 1);
      for (const trait of before.difference(after)) add(trait, -1);
      // More differences than this could exceed the memory, so all tokens are counted again at the
      // end.
      if (differences.size > MOST_COUNTED) run.differences = undefined;
    },

    settle: async (contracts, importer) => {
      for (const contract of contracts) {
        const run = runs.get(runOf(contract, importer));
        await retryingConflicts(async () => {
          const register = await readRegister(contract);
          const { version, importers } = register ?? NOBODY_COUNTED;
          const isOwed = run !== undefined || version === 0 || importers.includes(importer);
          if (!isOwed) return;
          const wasAlone = run?.beganAlone === true && run.version === version;
          if (wasAlone && run.differences) await addDifferences(contract, run.differences);
          else await countAnew(contract, !wasAlone);
          const others = importers.filter((other) => other !== importer);
          const next = { version: version + 1, importers: others };
          await table.put({ ...registerOf(contract), ...next }, version);
        });
        runs.delete(runOf(contract, importer));
      }
    },
  };
}

/** Counts and register are in the partition of the tokens and sort before all ids. */
export const tokensOf = (contract: ContractKey) => `TOKENS#${contract}`;
const registerOf = (contract: ContractKey) => ({ pk: tokensOf(contract), sk: '#IMPORTS' });
const COUNT = '#COUNT#';
const countOf = (contract: ContractKey, trait: string) => ({
  pk: tokensOf(contract),
  sk: `${COUNT}${trait}`,
});

export const RegisterItem = z.lazy(() =>
  z.object({ version: z.int(), importers: z.array(z.string()) }),
);
const NOBODY_COUNTED: z.output<typeof RegisterItem> = { version: 0, importers: [] };
export const CountItem = z.lazy(() => z.object({ sk: z.string(), count: z.number() }));

function countIn(item: Item): TraitCount {
  const { sk, count } = readItem('traitCount', CountItem, item);
  return [sk.slice(COUNT.length), count];
}

async function readCounts(
  table: BatchTable,
  contract: ContractKey,
  traits: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const items = await table.getAll(traits.map((trait) => countOf(contract, trait)));
  return new Map(items.map(countIn));
}
