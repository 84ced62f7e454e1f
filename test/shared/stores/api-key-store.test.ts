import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiKeyRecord, formatApiKey } from '#shared/domain/access/api-key.ts';
import { createApiKeyStore, toApiKeyItem } from '#shared/stores/api-key-store.ts';
import { NOON } from '#test/support/builders.ts';
import { EMBEDDED_ENGINES } from '#test/support/tables.ts';

const aKey = (byte: number) => formatApiKey(new Uint8Array(32).fill(byte));

describe.each(EMBEDDED_ENGINES)('API keys in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it.each([
    ['an end', aRecord({ expiresAt: NOON + 1 })],
    ['no end', aRecord()],
    ['no scope', aRecord({ scopes: [] })],
  ])('are found with %s', async (_, record) => {
    const table = await engine.createTable();

    await table.put(toApiKeyItem(aKey(1), record));

    expect(await createApiKeyStore(table).find(aKey(1))).toStrictEqual(record);
  });

  it('are found by the key alone', async () => {
    const table = await engine.createTable();
    await table.put(toApiKeyItem(aKey(1), aRecord()));

    const keys = createApiKeyStore(table);

    expect(await keys.find(aKey(2))).toBeUndefined();
    expect(await keys.find(aKey(1).toUpperCase())).toBeUndefined();
    expect(await keys.find('')).toBeUndefined();
  });

  it('are never kept themselves', () => {
    const item = JSON.stringify(toApiKeyItem(aKey(1), aRecord()));

    expect(item).not.toContain(aKey(1));
    expect(item).not.toContain(aKey(1).slice(3, 30));
  });

  it.each([
    { tenant: '' },
    { tenant: undefined },
    { scopes: ['everything'] },
    { scopes: 'read' },
    { createdAt: 'then' },
    { expiresAt: 'never' },
  ])('with %j are never half-read', async (corruption) => {
    const table = await engine.createTable();
    await table.put({ ...toApiKeyItem(aKey(1), aRecord()), ...corruption });

    await expect(createApiKeyStore(table).find(aKey(1))).rejects.toThrow();
  });
});

function aRecord(given: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  return { tenant: 'acme', scopes: ['read', 'write'], createdAt: NOON, ...given };
}
