import { UsageError } from '#infra/command-line/usage-error.ts';
import {
  type ApiKeyRecord,
  apiKeyId,
  formatApiKey,
  hashApiKey,
  isLive,
  MOST_LIVE_KEYS,
} from '#shared/domain/access/api-key.ts';
import { defined } from '#shared/domain/defined.ts';
import { earliest, type Instant } from '#shared/domain/market/instant.ts';
import type { ApiKeyStore } from '#shared/stores/api-key-store.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';

export type KeyPorts = {
  readonly now: Instant;
  /** Returns 32 cryptographically random bytes. */
  readonly random: () => Uint8Array;
  readonly keys: ApiKeyStore;
};

/** The members of a new key. */
export type KeyRequest = Pick<ApiKeyRecord, 'tenant' | 'name' | 'scopes' | 'expiresAt'>;

/** A new key, which is shown once, and its stored record. */
export type IssuedKey = { readonly key: string; readonly record: ApiKeyRecord };

/** Makes a key; throws if its tenant has as many live keys as there may be. */
export async function createKey(ports: KeyPorts, request: KeyRequest): Promise<IssuedKey> {
  await expectAtMost(ports, request.tenant, MOST_LIVE_KEYS - 1);
  const issued = await issueKey(ports, request);
  try {
    // Counted again after the write: if two concurrent creations exceed the limit, neither is
    // returned.
    await expectAtMost(ports, request.tenant, MOST_LIVE_KEYS);
  } catch (error) {
    await revokeKey(ports, issued.record);
    throw error;
  }
  return issued;
}

/** Makes a key without counting the tenant's keys. */
export async function issueKey(ports: KeyPorts, request: KeyRequest): Promise<IssuedKey> {
  const key = formatApiKey(ports.random());
  const made = { ...request, hash: hashApiKey(key), createdAt: ports.now, version: 0 };
  return { key, record: await ports.keys.put(defined(made)) };
}

/** Makes the successor of a key. Its default life is as long as the old key's original life. */
export async function replaceKey(
  ports: KeyPorts,
  old: ApiKeyRecord,
  expiresAt: Instant | undefined,
): Promise<IssuedKey> {
  const { tenant, name, scopes } = old;
  if (!isLive(old, ports.now)) {
    throw new UsageError(`the key ${apiKeyId(old)} has ended; make a new key with create`);
  }
  const span = old.expiresAt === undefined ? undefined : old.expiresAt - old.createdAt;
  const end = expiresAt ?? (span === undefined ? undefined : ports.now + span);
  return await createKey(ports, { tenant, name, scopes, expiresAt: end });
}

/** Sets the end of a key; an earlier end stays. */
export async function endKey(
  ports: KeyPorts,
  key: ApiKeyRecord,
  end: Instant,
): Promise<ApiKeyRecord> {
  return await change(ports, key, (known) => ({
    ...known,
    expiresAt: earliest([known.expiresAt, end]),
  }));
}

/** Ends a key for good. Idempotent: the first end stays. */
export async function revokeKey(ports: KeyPorts, key: ApiKeyRecord): Promise<ApiKeyRecord> {
  return await change(ports, key, (known) => ({
    ...known,
    revokedAt: known.revokedAt ?? ports.now,
  }));
}

/** The key with this id; throws if there is none. */
export async function findKey({ keys }: KeyPorts, id: string): Promise<ApiKeyRecord> {
  const found = (await keys.all()).find((key) => apiKeyId(key) === id);
  if (found !== undefined) return found;
  throw new UsageError(`there is no key ${id}; npm run keys -- list shows all keys`);
}

async function change(
  { keys }: KeyPorts,
  { hash }: ApiKeyRecord,
  changed: (known: ApiKeyRecord) => ApiKeyRecord,
): Promise<ApiKeyRecord> {
  return await retryingConflicts(async () => {
    const known = (await keys.all()).find((key) => key.hash === hash);
    if (known === undefined) throw new UsageError('the key was deleted meanwhile');
    return await keys.put(changed(known));
  });
}

async function expectAtMost({ keys, now }: KeyPorts, tenant: string, most: number): Promise<void> {
  const live = (await keys.all()).filter((key) => key.tenant === tenant && isLive(key, now));
  if (live.length <= most) return;
  const named = live.map((key) => `${apiKeyId(key)} (${key.name})`).join(', ');
  throw new UsageError(
    `the tenant ${tenant} has ${MOST_LIVE_KEYS} live keys already: revoke one of ${named}`,
  );
}
