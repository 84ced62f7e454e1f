import { describe, expect, it } from 'vitest';
import { authorizeRequest } from '#functions/authorize-request/authorize-request.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import type { ApiKeyRecord } from '#shared/domain/access/api-key.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { aKey, aKeyRecord, putKey } from '#test/support/api-keys.ts';
import { NOON } from '#test/support/builders.ts';

const KEY = aKey(1);
const OTHER = aKey(2);

/** An authorizer whose table contains one key, and the list of keys that it has looked up. */
async function world(given: Partial<ApiKeyRecord> = {}) {
  const table = createMemoryTable();
  const keys = createApiKeyStore(table);
  const holder = await putKey(keys, aKeyRecord(KEY, given));
  const lookedUp: string[] = [];
  const findApiKey = (key: string) => {
    lookedUp.push(key);
    return keys.find(key);
  };
  return {
    table,
    holder,
    lookedUp,
    enter: (key: string) => authorizeRequest({ now: () => NOON, findApiKey }, key),
  };
}

it('the authorizer returns the holder of a key', async () => {
  const { enter, holder } = await world();

  expect(await enter(KEY)).toEqual(holder);
});

it.each([
  { key: 'was never issued', text: OTHER, lookUps: 1 },
  { key: 'is missing', text: '', lookUps: 0 },
  { key: 'was cut off', text: KEY.slice(0, -1), lookUps: 0 },
  {
    key: 'has a typing error',
    text: `${KEY.slice(0, 10)}${KEY[10] === 'x' ? 'y' : 'x'}${KEY.slice(11)}`,
    lookUps: 0,
  },
  { key: 'is far too long', text: KEY.repeat(1000), lookUps: 0 },
])('a request whose key $key is refused', async ({ text, lookUps }) => {
  const { enter, lookedUp } = await world();

  expect(await enter(text)).toBeUndefined();
  expect(lookedUp).toHaveLength(lookUps);
});

describe('a key that expires', () => {
  it.each([
    { expiresAt: NOON + 1, works: true },
    { expiresAt: NOON, works: false },
    { expiresAt: NOON - 1, works: false },
  ])('a key that expires at $expiresAt works now: $works', async ({ expiresAt, works }) => {
    const { enter } = await world({ expiresAt });

    expect((await enter(KEY)) !== undefined).toBe(works);
  });
});

it.each([NOON - 1, NOON, NOON + 60_000])(
  'a key revoked at %d is refused, regardless of the local clock',
  async (revokedAt) => {
    const { enter } = await world({ revokedAt });

    expect(await enter(KEY)).toBeUndefined();
  },
);

it('the table does not contain keys in plain text', async () => {
  const { table } = await world();

  expect(JSON.stringify(table.items())).not.toContain(KEY.slice(3, 46));
});
