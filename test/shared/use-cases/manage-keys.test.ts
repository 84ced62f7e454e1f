import { describe, expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { apiKeyId, isLive } from '#shared/domain/access/api-key.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { DAY, HOUR } from '#shared/domain/market/instant.ts';
import { OutcomeUnknownError } from '#shared/domain/outcome-unknown.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import {
  createKey,
  type KeyChange,
  type KeyPorts,
  revokeKey,
  rotateKey,
} from '#shared/use-cases/manage-keys.ts';
import { NOON } from '#test/support/builders.ts';

const acme = {
  tenant: 'acme',
  name: 'the script',
  scopes: ['read'],
  expiresAt: undefined,
} as const;

/** API keys in a table in memory, managed by two operators. */
function world() {
  const keys = createApiKeyStore(createMemoryTable());
  let byte = 0;
  const random = () => {
    byte += 1;
    return new Uint8Array(32).fill(byte);
  };
  const at = (now: number, given: Partial<KeyPorts> = {}): KeyPorts => ({
    ...{ keys, now, random, entryOf: () => undefined },
    ...given,
  });
  const live = async (now = NOON) =>
    (await keys.all()).filter((key) => isLive(key, now)).map(({ name }) => name);
  return { keys, at, live };
}

/** Creates keys for a tenant that already has one, up to the limit. */
async function fill(ports: KeyPorts): Promise<void> {
  for (let made = 1; made < LIMITS.tenant.keys; made += 1) await createKey(ports, acme);
}

describe('a new API key', () => {
  it('finds a new API key by its text, but not by its id', async () => {
    const { keys, at } = world();

    const { key, record } = await createKey(at(NOON), acme);

    expect(await keys.find(key)).toStrictEqual(record);
    expect(record).toMatchObject({ tenant: 'acme', scopes: ['read'], createdAt: NOON });
    expect(await keys.find(apiKeyId(record))).toBeUndefined();
  });

  it('limits a tenant to twenty live API keys', async () => {
    const { at, live } = world();
    const { record } = await createKey(at(NOON), acme);
    await fill(at(NOON));
    await createKey(at(NOON), { ...acme, tenant: 'other' });

    await expect(createKey(at(NOON), acme)).rejects.toThrow(
      new RegExp(
        `has 20 active keys, which is the maximum: revoke one of .*${apiKeyId(record)} \\(the script\\)`,
      ),
    );
    expect(await live()).toHaveLength(21);

    await revokeKey(at(NOON), record);
    await createKey(at(NOON), acme);
  });

  it('allows a new key once another has expired', async () => {
    const { at } = world();
    await createKey(at(NOON), { ...acme, expiresAt: NOON + HOUR });
    await fill(at(NOON));

    await expect(createKey(at(NOON + HOUR - 1), acme)).rejects.toThrow('20 active keys');
    await createKey(at(NOON + HOUR), acme);
  });

  it('rejects the second of two concurrent requests for the last available key', async () => {
    const { at, live, keys } = world();
    await fill(at(NOON));
    const both = Array.from({ length: 2 }, () => createKey(at(NOON), acme));

    const made = await Promise.allSettled(both);

    expect(made.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await live()).toHaveLength(LIMITS.tenant.keys);
    expect(await keys.all()).toHaveLength(LIMITS.tenant.keys);
  });

  it('returns a new key and logs it once if the response of its write was lost', async () => {
    const { at, keys, live } = world();
    const commits: KeyChange[] = [];
    const lossy: typeof keys = {
      ...keys,
      commit: async (change) => {
        commits.push(change);
        await keys.commit(change);
        throw new OutcomeUnknownError('a key');
      },
    };

    const { record } = await createKey(at(NOON, { keys: lossy }), acme);

    expect(record.name).toBe('the script');
    expect(await live()).toEqual(['the script']);
    expect(commits).toHaveLength(1);
  });

  it('rejects a new key if its write was lost', async () => {
    const { at, keys, live } = world();
    const lost: typeof keys = {
      ...keys,
      commit: async () => {
        throw new OutcomeUnknownError('a key');
      },
    };

    await expect(createKey(at(NOON, { keys: lost }), acme)).rejects.toThrow(OutcomeUnknownError);
    expect(await live()).toEqual([]);
  });
});

describe('a rotated API key', () => {
  it('keeps a rotated key valid for the overlap with its successor', async () => {
    const { at, keys } = world();
    const { key, record } = await createKey(at(NOON), acme);

    const { issued } = await rotateKey(at(NOON), record, { expiresAt: undefined, overlap: DAY });

    const old = await keys.find(key);
    expect(old && isLive(old, NOON + DAY - 1)).toBe(true);
    expect(old && isLive(old, NOON + DAY)).toBe(false);
    expect(issued.record).toMatchObject({ tenant: 'acme', name: 'the script', scopes: ['read'] });
    expect(issued.record).not.toHaveProperty('expiresAt');
  });

  it('gives the successor of a key the requested expiry, or the original lifetime', async () => {
    const { at } = world();
    const { record } = await createKey(at(NOON), { ...acme, expiresAt: NOON + 90 * DAY });
    const later = NOON + 80 * DAY;

    const next = await rotateKey(at(later), record, { expiresAt: undefined, overlap: 0 });
    const asked = await rotateKey(at(later), next.issued.record, {
      ...{ expiresAt: later + DAY, overlap: 0 },
    });

    expect(next.issued.record.expiresAt).toBe(later + 90 * DAY);
    expect(asked.issued.record.expiresAt).toBe(later + DAY);
  });

  it('rejects a rotation that would exceed the limit of live keys, and the rotation of an expired key', async () => {
    const { at } = world();
    const { record } = await createKey(at(NOON), acme);
    await fill(at(NOON));
    const rotated = async () =>
      await rotateKey(at(NOON), record, { expiresAt: undefined, overlap: DAY });

    await expect(rotated()).rejects.toThrow('20 active keys');
    await revokeKey(at(NOON), record);
    await expect(rotated()).rejects.toThrow('has expired');
  });

  it('never extends the expiry of a rotated key', async () => {
    const { at } = world();
    const { record } = await createKey(at(NOON), { ...acme, expiresAt: NOON + HOUR });

    const { ended } = await rotateKey(at(NOON), record, { expiresAt: undefined, overlap: DAY });

    expect(ended).toMatchObject({ expiresAt: NOON + HOUR });
  });
});

describe('a revoked API key', () => {
  it('keeps the first revocation of a key, whatever changes it concurrently', async () => {
    const { at, keys } = world();
    const { key, record } = await createKey(at(NOON), acme);

    await Promise.allSettled([
      revokeKey(at(NOON), record),
      rotateKey(at(NOON), record, { expiresAt: undefined, overlap: DAY }),
      revokeKey(at(NOON + 1), record),
    ]);

    const found = await keys.find(key);
    expect(found).toMatchObject({ revokedAt: NOON });
    expect(found && isLive(found, 0)).toBe(false);
  });
});
