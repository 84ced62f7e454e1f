import { describe, expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { apiKeyId, isLive } from '#shared/domain/access/api-key.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { DAY, HOUR } from '#shared/domain/market/instant.ts';
import { OutcomeUnknownError } from '#shared/domain/outcome-unknown.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import {
  createKey,
  endKey,
  type KeyPorts,
  replaceKey,
  revokeKey,
} from '#shared/use-cases/manage-keys.ts';
import { NOON } from '#test/support/builders.ts';

const acme = {
  tenant: 'acme',
  name: 'the script',
  scopes: ['read'],
  expiresAt: undefined,
} as const;

/** Keys over a table in memory, and two operators at it. */
function world() {
  const keys = createApiKeyStore(createMemoryTable());
  let byte = 0;
  const random = () => {
    byte += 1;
    return new Uint8Array(32).fill(byte);
  };
  const at = (now: number, given: Partial<KeyPorts> = {}): KeyPorts => ({
    ...{ keys, now, random },
    ...given,
  });
  const live = async (now = NOON) =>
    (await keys.all()).filter((key) => isLive(key, now)).map(({ name }) => name);
  return { keys, at, live };
}

/** Makes as many keys beside the first of a tenant as there may be. */
async function fill(ports: KeyPorts): Promise<void> {
  for (let made = 1; made < LIMITS.tenant.keys; made += 1) await createKey(ports, acme);
}

describe('a key that is made', () => {
  it('opens the door, and is known by an id that does not', async () => {
    const { keys, at } = world();

    const { key, record } = await createKey(at(NOON), acme);

    expect(await keys.find(key)).toStrictEqual(record);
    expect(record).toMatchObject({ tenant: 'acme', scopes: ['read'], createdAt: NOON });
    expect(await keys.find(apiKeyId(record))).toBeUndefined();
  });

  it('is the twentieth of its tenant at most, of those that are live', async () => {
    const { at, live } = world();
    const { record } = await createKey(at(NOON), acme);
    await fill(at(NOON));
    await createKey(at(NOON), { ...acme, tenant: 'other' });

    await expect(createKey(at(NOON), acme)).rejects.toThrow(
      new RegExp(`has 20 live keys already: revoke one of .*${apiKeyId(record)} \\(the script\\)`),
    );
    expect(await live()).toHaveLength(21);

    await revokeKey(at(NOON), record);
    await createKey(at(NOON), acme);
  });

  it('leaves room again once another has expired', async () => {
    const { at } = world();
    await createKey(at(NOON), { ...acme, expiresAt: NOON + HOUR });
    await fill(at(NOON));

    await expect(createKey(at(NOON + HOUR - 1), acme)).rejects.toThrow('20 live keys');
    await createKey(at(NOON + HOUR), acme);
  });

  it('is given to no tenant where two are made at once and one is too many', async () => {
    const { at, live, keys } = world();
    await fill(at(NOON));
    const both = Array.from({ length: 2 }, () => createKey(at(NOON), acme));

    const made = await Promise.allSettled(both);

    const reported = made.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    expect(await live()).toHaveLength(LIMITS.tenant.keys - 1 + reported.length);
    expect(reported.length).toBeLessThanOrEqual(1);
    expect(await keys.all()).toHaveLength(LIMITS.tenant.keys + 1);
  });

  it('is returned if the answer to its write was lost', async () => {
    const { at, keys, live } = world();
    const lossy: typeof keys = {
      ...keys,
      put: async (record) => {
        await keys.put(record);
        throw new OutcomeUnknownError('a key');
      },
    };

    const { record } = await createKey(at(NOON, { keys: lossy }), acme);

    expect(record.name).toBe('the script');
    expect(await live()).toEqual(['the script']);
  });

  it('is revoked if the keys cannot be counted, even if the answer to the revocation is lost', async () => {
    const { at, keys, live } = world();
    let [isCounted, isLost] = [false, false];
    const lossy: typeof keys = {
      ...keys,
      ofTenant: async (tenant) => {
        const found = await keys.ofTenant(tenant);
        if (found.length === 0 || isCounted) return found;
        isCounted = true;
        throw new Error('throttled');
      },
      put: async (record) => {
        if (record.revokedAt === undefined || isLost) return await keys.put(record);
        isLost = true;
        throw new OutcomeUnknownError('a key');
      },
    };

    await expect(createKey(at(NOON, { keys: lossy }), acme)).rejects.toThrow('throttled');
    expect(await live()).toEqual([]);
  });

  it('is refused if its write was lost', async () => {
    const { at, keys, live } = world();
    const lost: typeof keys = {
      ...keys,
      put: async () => {
        throw new OutcomeUnknownError('a key');
      },
    };

    await expect(createKey(at(NOON, { keys: lost }), acme)).rejects.toThrow(OutcomeUnknownError);
    expect(await live()).toEqual([]);
  });

  it('is listed, though its maker died before it was reported', async () => {
    const { at, keys, live } = world();
    const dying = { ...keys, ofTenant: async () => Promise.reject(new Error('killed')) };

    await expect(createKey(at(NOON, { keys: dying }), acme)).rejects.toThrow('killed');
    expect(await live()).toEqual([]);

    let evaluations = 0;
    const dyingLater = {
      ...keys,
      ofTenant: async () => (evaluations++ === 0 ? [] : Promise.reject(new Error('killed'))),
    };
    await expect(createKey(at(NOON, { keys: dyingLater }), acme)).rejects.toThrow('killed');
    expect(await live()).toEqual(['the script']);
  });
});

describe('a key that is replaced', () => {
  it('goes on for a while beside the one that takes its place', async () => {
    const { at, keys } = world();
    const { key, record } = await createKey(at(NOON), acme);

    const next = await replaceKey(at(NOON), record, undefined);
    await endKey(at(NOON), record, NOON + DAY);

    const old = await keys.find(key);
    expect(old && isLive(old, NOON + DAY - 1)).toBe(true);
    expect(old && isLive(old, NOON + DAY)).toBe(false);
    expect(next.record).toMatchObject({ tenant: 'acme', name: 'the script', scopes: ['read'] });
    expect(next.record).not.toHaveProperty('expiresAt');
  });

  it('gives the next one as long a life as it had, or the one that is asked for', async () => {
    const { at } = world();
    const { record } = await createKey(at(NOON), { ...acme, expiresAt: NOON + 90 * DAY });
    const later = NOON + 80 * DAY;

    const { record: next } = await replaceKey(at(later), record, undefined);
    await revokeKey(at(later), record);
    const { record: asked } = await replaceKey(at(later), next, later + DAY);

    expect(next.expiresAt).toBe(later + 90 * DAY);
    expect(asked.expiresAt).toBe(later + DAY);
  });

  it('has no third beside it, and is none that has ended', async () => {
    const { at } = world();
    const { record } = await createKey(at(NOON), acme);
    await fill(at(NOON));

    await expect(replaceKey(at(NOON), record, undefined)).rejects.toThrow('20 live keys');
    const revoked = await revokeKey(at(NOON), record);
    await expect(replaceKey(at(NOON), revoked, undefined)).rejects.toThrow('has ended');
  });

  it('never lives longer than it would have', async () => {
    const { at } = world();
    const { record } = await createKey(at(NOON), { ...acme, expiresAt: NOON + HOUR });

    expect(await endKey(at(NOON), record, NOON + DAY)).toMatchObject({ expiresAt: NOON + HOUR });
  });
});

describe('a key that is revoked', () => {
  it('opens nothing any more, whatever else changes it at the same time', async () => {
    const { at, keys } = world();
    const { key, record } = await createKey(at(NOON), acme);

    await Promise.all([
      revokeKey(at(NOON), record),
      endKey(at(NOON), record, NOON + DAY),
      revokeKey(at(NOON + 1), record),
    ]);

    const found = await keys.find(key);
    expect(found).toMatchObject({ revokedAt: NOON, expiresAt: NOON + DAY });
    expect(found && isLive(found, 0)).toBe(false);
  });
});
