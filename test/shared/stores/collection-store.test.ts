import { expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { createCollectionStore } from '#shared/stores/collection-store.ts';
import { PUNKS } from '#test/support/builders.ts';

const CRYPTOPUNKS = {
  name: 'CryptoPunks',
  slug: 'cryptopunks',
  image: 'https://i2c.seadn.io/punks.png',
};

it('returns the last stored description of a collection', async () => {
  const store = createCollectionStore(createMemoryTable());

  await store.put(PUNKS, CRYPTOPUNKS);
  await store.put(PUNKS, { name: 'Punks', slug: 'punks' });

  expect(await store.get(PUNKS)).toEqual({ name: 'Punks', slug: 'punks' });
});

it('returns undefined for a stored collection of the wrong type', async () => {
  const table = createMemoryTable();
  const store = createCollectionStore(table);
  const key = { pk: `COLLECTION#${PUNKS}`, sk: 'COLLECTION' };

  await table.put({ ...key, name: 7 });

  expect(await store.get(PUNKS)).toBeUndefined();
});
