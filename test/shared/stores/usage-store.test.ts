import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { NOON } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';

describe.each(ENGINES)('used units in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it('reads back the used units of one tenant, which expire a minute after `usedUntil`', async () => {
    const table = await engine.createTable();
    const usage = createUsageStore(table, 'nft-data');

    const written = await usage.put('acme', { version: 0, usedUntil: NOON + 0.5 });

    expect(written).toEqual({ version: 1, usedUntil: NOON + 0.5 });
    expect(await usage.get('acme')).toStrictEqual(written);
    expect(await usage.get('other')).toBeUndefined();
    const item = await table.get({ pk: 'USAGE#acme', sk: 'NFT-DATA' });
    expect(item?.ttl).toBe(NOON / 1000 + 61);
  });

  it('rejects the second of two writers that read the same version of the used units', async () => {
    const usage = createUsageStore(await engine.createTable(), 'nft-data');
    const written = await usage.put('acme', { version: 0, usedUntil: NOON });

    await expect(usage.put('acme', { version: 0, usedUntil: 1 })).rejects.toThrow(
      VersionConflictError,
    );

    expect(await usage.get('acme')).toEqual(written);
  });

  it('rejects corrupt used units, naming the item', async () => {
    const table = await engine.createTable();
    await table.put({ pk: 'USAGE#acme', sk: 'NFT-DATA', version: 1, usedUntil: 'noon' });

    await expect(createUsageStore(table, 'nft-data').get('acme')).rejects.toThrow('USAGE#acme');
  });
});
