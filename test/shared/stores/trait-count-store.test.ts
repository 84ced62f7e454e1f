import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { type Token, type Trait, traitKey, traitKeysOf } from '#shared/domain/archive/token.ts';
import type { BulkTable } from '#shared/stores/bulk-table.ts';
import { createTokenArchive, createTokenStore } from '#shared/stores/token-store.ts';
import { aToken } from '#test/support/archive.ts';
import { APES, PUNKS } from '#test/support/builders.ts';
import { runsOf } from '#test/support/extent.ts';

const CAP: Trait = ['hat', 'cap'];
const CROWN: Trait = ['hat', 'crown'];
const LASER: Trait = ['eyes', 'laser'];
const TRAITS = [CAP, CROWN, LASER];

/** Imports a file of tokens two at a time, as `importData` does. */
async function load(table: BulkTable, tokens: readonly Token[], file = 'a file') {
  const { putTokens, settleCounts } = createTokenArchive(table);
  for (let start = 0; start < tokens.length; start += 2) {
    await putTokens(tokens.slice(start, start + 2), file);
  }
  await settleCounts(new Set(tokens.map(({ contract }) => contract)), file);
}

const countsIn = (table: BulkTable) => createTokenStore(table).counts(PUNKS, TRAITS.map(traitKey));

const some = (count: number, traits: readonly Trait[]) =>
  Array.from({ length: count }, (_, id) => aToken(id, traits));

it('updates trait counts by the difference between the old and new traits of tokens', async () => {
  const table = createMemoryTable();
  await load(table, some(50, [CAP, LASER]));

  await load(table, [aToken(0, [CROWN, LASER]), aToken(1, []), aToken(50, [CAP])], 'another');

  expect(await countsIn(table)).toEqual([49, 1, 49]);
});

it('keeps trait counts if only known tokens are imported', async () => {
  const table = createMemoryTable();
  await load(table, some(50, [CAP]));

  await load(table, some(20, [CAP]), 'a few');
  await load(table, [aToken(7, [CAP], { name: 'reported otherwise' })], 'a word');

  expect(await countsIn(table)).toEqual([50, 0, 0]);
});

it('deletes a trait count with the last token that has the trait', async () => {
  const table = createMemoryTable();
  await load(table, [aToken(1, [CAP, CROWN]), aToken(2, [CAP])]);

  await load(table, [aToken(1, [CAP])], 'another');

  const counted = table.items().filter(({ sk }) => sk.startsWith('#COUNT#'));
  expect(counted.map(({ count }) => count)).toEqual([2]);
});

it('counts the traits of each contract separately', async () => {
  const table = createMemoryTable();

  await load(table, [aToken(1, [CAP]), { ...aToken(1, [CAP, CROWN]), contract: APES }]);

  expect(await countsIn(table)).toEqual([1, 0, 0]);
});

it('updates trait counts without reading the tokens that are not imported', async () => {
  const table = createMemoryTable();
  await load(table, some(50, [CAP]));
  const query: BulkTable['query'] = () => Promise.reject(new Error('tokens are read'));

  await load({ ...table, query }, [aToken(3, [CROWN])], 'another');

  expect(await countsIn(table)).toEqual([49, 1, 0]);
});

it('writes nothing if all imported tokens are already stored', async () => {
  const table = createMemoryTable();
  await load(table, some(5, [CAP]));
  const refuse = () => Promise.reject(new Error('a write'));
  const readOnly = { ...table, put: refuse, delete: refuse };
  const nothing = async (things: readonly unknown[]) => expect(things).toEqual([]);

  await load({ ...readOnly, putAll: nothing, deleteAll: nothing }, some(5, [CAP]));
  await load({ ...readOnly, putAll: nothing, deleteAll: nothing }, some(3, [CAP]), 'fewer');
});

it('computes the differences of trait counts from tokens read after the import was registered', async () => {
  const table = createMemoryTable();
  await load(table, some(2, [CAP]));
  let reads = 0;
  const getAll: BulkTable['getAll'] = async (keys) => {
    const items = await table.getAll(keys);
    reads += 1;
    if (reads === 1) await load(table, some(2, [CROWN]), 'meanwhile');
    return items;
  };

  await load({ ...table, getAll }, some(2, [LASER]), 'another');

  expect(await countsIn(table)).toEqual([0, 0, 2]);
});

it('any import repairs trait counts that were lost or wrong before imports were registered', async () => {
  const table = createMemoryTable();
  await load(table, some(5, [CAP]));
  await table.put({ pk: `TOKENS#${PUNKS}`, sk: `#COUNT#${traitKey(CAP)}`, count: 1 });
  await table.deleteAll([{ pk: `TOKENS#${PUNKS}`, sk: '#IMPORTS' }]);

  await load(table, some(1, [CAP]), 'another');

  expect(await countsIn(table)).toEqual([5, 0, 0]);
});

/**
 * A table for a process that is killed after a number of writes; `turn` schedules each of its
 * calls.
 */
function killedAfter(
  most: number,
  table: BulkTable,
  turn: <T>(work: () => Promise<T>) => Promise<T>,
) {
  let writes = 0;
  const write = (work: () => Promise<void>) =>
    turn(async () => {
      if (writes >= most) throw new Error('killed');
      writes += 1;
      await work();
    });
  return {
    ...table,
    get: (key) => turn(() => table.get(key)),
    getAll: (keys) => turn(() => table.getAll(keys)),
    query: (query) => turn(() => table.query(query)),
    put: (item, version) => write(() => table.put(item, version)),
    putAll: (items) => write(() => table.putAll(items)),
    deleteAll: (keys) => write(() => table.deleteAll(keys)),
  } satisfies BulkTable as BulkTable;
}

const immediately = <T>(work: () => Promise<T>) => work();

/** Compares the counts and postings with a scan of all tokens. */
async function expectTrue(table: ReturnType<typeof createMemoryTable>, ids: number) {
  const { counts, getAll, withTrait } = createTokenStore(table);
  const tokens = await getAll(
    PUNKS,
    Array.from({ length: ids }, (_, id) => BigInt(id)),
  );
  for (const trait of TRAITS.map(traitKey)) {
    const traitsIn = (record: string) => traitKeysOf(JSON.parse(record));
    const having = tokens.filter(({ record }) => traitsIn(record).has(trait));
    const { entries } = await withTrait(PUNKS, trait, { after: undefined, limit: 100 });
    const found = new Map(entries.map((posting) => [posting.id, posting.traits]));
    expect(await counts(PUNKS, [trait])).toEqual([having.length]);
    for (const { id, record } of having)
      expect(found.get(id)).toBe([...traitsIn(record)].join(' '));
  }
}

it('counts traits exactly when an import that was killed at any write is repeated', async () => {
  const before = [aToken(0, [CAP]), aToken(1, [CAP, LASER]), aToken(2, [LASER])];
  const after = [aToken(0, [CROWN]), aToken(1, []), aToken(3, [CAP]), aToken(2, [LASER, CAP])];
  for (const isFirst of [true, false]) {
    for (let survived = 0; ; survived += 1) {
      const table = createMemoryTable();
      if (!isFirst) await load(table, before, 'before');
      const killed = await load(killedAfter(survived, table, immediately), after).catch(String);
      await load(table, after);

      await expectTrue(table, 4);
      if (killed === undefined) break;
    }
  }
});

it('counts traits exactly after another import, even if a killed import is never repeated', async () => {
  for (let survived = 0; ; survived += 1) {
    const table = createMemoryTable();
    await load(table, some(4, [CAP]), 'before');
    const dying = killedAfter(survived, table, immediately);
    const killed = await load(dying, some(4, [CROWN]), 'killed').catch(String);

    await load(table, [aToken(0, [LASER])], 'another');

    await expectTrue(table, 4);
    if (killed === undefined) break;
  }
});

const someTokens = fc.array(fc.record({ id: fc.nat(3), traits: fc.subarray(TRAITS) }), {
  minLength: 1,
  maxLength: 4,
});
const anImport = fc.record({
  tokens: someTokens,
  survives: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat(8)),
});

it('counts traits exactly after concurrent imports that are interleaved, killed and repeated at random', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      someTokens,
      fc.array(anImport, { minLength: 2, maxLength: 3 }),
      async (scheduler, before, imports) => {
        const table = createMemoryTable();
        const tokensOf = (reported: typeof before) =>
          reported.map(({ id, traits }) => aToken(id, traits));
        await load(table, tokensOf(before), 'before');
        const turn = <T>(work: () => Promise<T>) =>
          scheduler.schedule(Promise.resolve()).then(work);

        const runs = imports.map(async ({ tokens, survives }, number) => {
          const file = `file ${number}`;
          const dying = killedAfter(survives, table, turn);
          await load(dying, tokensOf(tokens), file).catch(() => undefined);
          const repeated = killedAfter(Number.POSITIVE_INFINITY, table, turn);
          if (survives < 9) await load(repeated, tokensOf(tokens), file);
        });
        await scheduler.waitFor(Promise.all(runs));

        await expectTrue(table, 4);
      },
    ),
    runsOf(150),
  );
});
