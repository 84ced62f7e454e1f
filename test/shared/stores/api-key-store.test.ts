import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiKeyRecord, apiKeyId } from '#shared/domain/access/api-key.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { aKey, aKeyRecord, putKey } from '#test/support/api-keys.ts';
import { NOON } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';

describe.each(ENGINES)('API keys in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it.each([
    ['an expiry', { expiresAt: NOON + 1 }],
    ['no expiry', {}],
    ['no scope', { scopes: [] }],
    ['an expiry and a revocation', { expiresAt: NOON + 1, revokedAt: NOON }],
    ['the key that it was signed in from', { signedInFrom: aKeyRecord(aKey(2)).hash }],
    ['a sign-in code', { signIn: { hash: 'a', expiresAt: NOON } }],
  ])('finds an API key with %s', async (_, given) => {
    const keys = createApiKeyStore(await engine.createTable());

    const written = await putKey(keys, aKeyRecord(aKey(1), given));

    expect(await keys.find(aKey(1))).toStrictEqual(written);
  });

  it('finds an API key only by its exact text, and lists the keys of all tenants', async () => {
    const keys = createApiKeyStore(await engine.createTable());
    const one = await putKey(keys, aKeyRecord(aKey(1)));
    const other = await putKey(keys, aKeyRecord(aKey(3), { tenant: 'other' }));

    expect(await keys.find(aKey(2))).toBeUndefined();
    expect(await keys.find(aKey(1).toUpperCase())).toBeUndefined();
    expect(await keys.find('')).toBeUndefined();
    const all = await keys.all();
    expect(all).toHaveLength(2);
    expect(all).toEqual(expect.arrayContaining([one, other]));
  });

  it('finds an API key by its id, in any tenant', async () => {
    const keys = createApiKeyStore(await engine.createTable());
    const one = await putKey(keys, aKeyRecord(aKey(1)));
    const other = await putKey(keys, aKeyRecord(aKey(3), { tenant: 'other' }));

    expect(await keys.withId(apiKeyId(one))).toEqual(one);
    expect(await keys.withId(apiKeyId(other))).toEqual(other);
    expect(await keys.withId(apiKeyId(aKeyRecord(aKey(2))))).toBeUndefined();
  });

  it("rejects the second of two commits that read the same version of a tenant's keys", async () => {
    const keys = createApiKeyStore(await engine.createTable());
    const key = await putKey(keys, aKeyRecord(aKey(1)));
    const { version } = await keys.ofTenant('acme');
    await putKey(keys, aKeyRecord(aKey(2), { tenant: 'other' }));
    const commit = async (record: ApiKeyRecord) =>
      await keys.commit({ tenant: 'acme', version, keys: [record], entries: [] });

    await commit({ ...key, revokedAt: NOON });

    await expect(commit(aKeyRecord(aKey(3)))).rejects.toThrow(VersionConflictError);
    expect(await keys.ofTenant('acme')).toEqual({
      ...{ version: version + 1, keys: [{ ...key, revokedAt: NOON }] },
    });
  });

  it('stores only the hash of an API key, until 40 days after its expiry', async () => {
    const table = await engine.createTable();
    const keys = createApiKeyStore(table);
    const { hash } = await putKey(keys, aKeyRecord(aKey(1), { expiresAt: NOON }));
    await putKey(keys, aKeyRecord(aKey(2)));

    const item = await table.get({ pk: 'KEYS', sk: hash });

    expect(JSON.stringify(item)).not.toContain(aKey(1).slice(3, 30));
    expect(item?.ttl).toBe(NOON / 1000 + 40 * 86_400);
    const endless = await table.get({ pk: 'KEYS', sk: aKeyRecord(aKey(2)).hash });
    expect(endless).not.toHaveProperty('ttl');
  });

  it.each([
    { tenant: '' },
    { tenant: undefined },
    { tenant: 'a#b' },
    { scopes: ['everything'] },
    { scopes: 'read' },
    { createdAt: 'then' },
    { expiresAt: 'never' },
    { revokedAt: 'never' },
    { signIn: 'a' },
  ])('rejects a stored API key with %j', async (corruption) => {
    const table = await engine.createTable();
    const { hash, ...record } = aKeyRecord(aKey(1));
    await table.put({ pk: 'KEYS', sk: hash, ...record, ...corruption });

    await expect(createApiKeyStore(table).find(aKey(1))).rejects.toThrow();
  });
});
