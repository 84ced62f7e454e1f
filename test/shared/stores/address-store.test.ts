import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOfAddress } from '#shared/domain/channels/asked-address.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createAddressStore } from '#shared/stores/address-store.ts';
import { NOON } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';

const ADDRESS = 'desk@example.com';
const asked = {
  ...{ tenant: 'acme', address: ADDRESS, version: 0 },
  ...{ notBefore: NOON, isConfirmed: false },
};

describe.each(ENGINES)('email addresses in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it('stores an address hashed, for one tenant, with a TTL of 90 days', async () => {
    const table = await engine.createTable();
    const addresses = createAddressStore(table);

    const written = await addresses.put(asked);

    expect(await addresses.get('acme', ADDRESS)).toEqual(written);
    expect(await addresses.get('globex', ADDRESS)).toBeUndefined();
    const sk = `ADDRESS#${hashOfAddress(ADDRESS)}`;
    const item = await table.get({ pk: 'TENANT#acme', sk });
    expect(item?.ttl).toBe(NOON / 1000 + 90 * 86_400);
    expect(JSON.stringify(item)).not.toContain(ADDRESS);
  });

  it('rejects the second writer of the same version of an address', async () => {
    const addresses = createAddressStore(await engine.createTable());
    await addresses.put(asked);

    await expect(addresses.put(asked)).rejects.toThrow(VersionConflictError);
  });
});
