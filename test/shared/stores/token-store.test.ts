import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Trait } from '#shared/domain/archive/token.ts';
import { archivedToken, traitKey } from '#shared/domain/archive/token.ts';
import type { BulkTable } from '#shared/stores/bulk-table.ts';
import { createTokenArchive, createTokenStore } from '#shared/stores/token-store.ts';
import { aToken } from '#test/support/archive.ts';
import { APES, PUNKS } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';

const FILE = 'a file';
const CAP: Trait = ['hat', 'cap'];
const CROWN: Trait = ['hat', 'crown'];
const LASER: Trait = ['eyes', 'laser'];

describe.each(ENGINES)('tokens in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it('reads back a token exactly as it was stored', async () => {
    const table = await engine.createTable();
    const token = aToken(2n ** 256n - 1n, [CAP], { odd: { list: [1, null, '🐵'], empty: '' } });

    await createTokenArchive(table).putTokens([token], FILE);

    const { getAll } = createTokenStore(table);
    expect(await getAll(PUNKS, [1n, token.id])).toEqual([archivedToken(token)]);
    expect(await getAll(APES, [token.id])).toEqual([]);
  });

  it('finds tokens by trait in numeric order, in pages', async () => {
    const table = await engine.createTable();
    const ids = [2n ** 255n, 10n, 9n, 0n, 255n, 256n];
    await createTokenArchive(table).putTokens(
      ids.map((id) => aToken(id, [CAP, LASER])),
      FILE,
    );

    const { withTrait } = createTokenStore(table);
    const first = await withTrait(PUNKS, traitKey(CAP), { after: undefined, limit: 4 });
    const second = await withTrait(PUNKS, traitKey(CAP), { after: first.next, limit: 4 });

    expect(first.entries.map(({ id }) => id)).toEqual([0n, 9n, 10n, 255n]);
    expect(first.entries[0]?.traits).toBe([CAP, LASER].map(traitKey).join(' '));
    expect(second.entries.map(({ id }) => id)).toEqual([256n, 2n ** 255n]);
    expect(second.next).toBeUndefined();
  });

  it('removes the postings of traits that a stored token no longer has', async () => {
    const table = await engine.createTable();
    const archive = createTokenArchive(table);
    await archive.putTokens([aToken(1, [CAP, LASER]), aToken(2, [CAP])], FILE);

    await archive.putTokens([aToken(1, [CROWN, LASER])], FILE);

    expect(await idsWith(table, CAP)).toEqual([2n]);
    expect(await idsWith(table, CROWN)).toEqual([1n]);
    expect(await idsWith(table, LASER)).toEqual([1n]);
  });

  it('stores the last version of a token that occurs twice in one batch', async () => {
    const table = await engine.createTable();

    const put = await createTokenArchive(table).putTokens(
      [aToken(1, [CAP]), aToken(1, [CROWN])],
      FILE,
    );

    expect(put).toBe(1);
    expect(await idsWith(table, CAP)).toEqual([]);
    expect(await idsWith(table, CROWN)).toEqual([1n]);
  });

  it('does not write tokens that are already stored', async () => {
    const table = await engine.createTable();
    const tokens = [aToken(1, [CAP]), aToken(2, [CROWN])];
    await createTokenArchive(table).putTokens(tokens, FILE);
    const readOnly = createTokenArchive({
      ...table,
      putAll: async (items) => expect(items).toEqual([]),
      deleteAll: async (keys) => expect(keys).toEqual([]),
    });

    expect(await readOnly.putTokens(tokens, FILE)).toBe(0);
    expect(await createTokenArchive(table).putTokens([...tokens, aToken(3, [])], FILE)).toBe(1);
  });

  it('lets the next import repair tokens after a crash at any write', async () => {
    for (const dies of ['deleteAll', 'first putAll', 'second putAll'] as const) {
      const table = await engine.createTable();
      await createTokenArchive(table).putTokens([aToken(1, [CAP])], FILE);
      const next = [aToken(1, [CROWN, LASER])];

      await expect(createTokenArchive(dyingAt(dies, table)).putTokens(next, FILE)).rejects.toThrow(
        dies,
      );
      await createTokenArchive(table).putTokens(next, FILE);

      expect(await idsWith(table, CAP), dies).toEqual([]);
      expect(await idsWith(table, CROWN), dies).toEqual([1n]);
      expect(await createTokenStore(table).getAll(PUNKS, [1n]), dies).toEqual(
        next.map(archivedToken),
      );
    }
  });
});

async function idsWith(table: BulkTable, trait: Trait) {
  const page = { after: undefined, limit: 100 };
  const { entries } = await createTokenStore(table).withTrait(PUNKS, traitKey(trait), page);
  return entries.map(({ id }) => id);
}

/** A table for a process that crashes before one of its writes. */
function dyingAt(write: string, table: BulkTable): BulkTable {
  let puts = 0;
  const die = () => Promise.reject(new Error(write));
  return {
    ...table,
    deleteAll: (keys) => (write === 'deleteAll' ? die() : table.deleteAll(keys)),
    putAll: (items) => {
      puts += 1;
      return write === `${puts === 1 ? 'first' : 'second'} putAll` ? die() : table.putAll(items);
    },
  };
}
