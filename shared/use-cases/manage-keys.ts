import {
  type ApiKeyRecord,
  apiKeyId,
  formatApiKey,
  hashApiKey,
  isLive,
} from '#shared/domain/access/api-key.ts';
import { KeyError } from '#shared/domain/access/key-error.ts';
import { defined } from '#shared/domain/defined.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { earliest, type Instant } from '#shared/domain/market/instant.ts';
import { mayHaveChanged, OutcomeUnknownError } from '#shared/domain/outcome-unknown.ts';
import type { Of } from './commit-change.ts';
import { retryingConflicts } from './retrying-conflicts.ts';

export type KeyPorts<Tenant extends string = string> = {
  readonly now: Instant;
  /** Returns 32 cryptographically random bytes. */
  readonly random: () => Uint8Array;
  readonly keys: {
    /** Those that are live, and those that ended not long ago. */
    readonly ofTenant: (tenant: Tenant) => Promise<readonly ApiKeyRecord[]>;
    /** Rejects with VersionConflictError where it has changed since it was read. */
    readonly put: (record: Of<Tenant, ApiKeyRecord>) => Promise<ApiKeyRecord>;
  };
};

/** The members of a new key. */
export type KeyRequest<Tenant extends string = string> = Of<
  Tenant,
  Pick<ApiKeyRecord, 'tenant' | 'name' | 'scopes' | 'expiresAt'>
>;

const ATTEMPTS = 5;

/** A new key, which is shown once, and its stored record. */
export type IssuedKey = { readonly key: string; readonly record: ApiKeyRecord };

/** Makes a key; throws if its tenant has as many live keys as there may be. */
export async function createKey<Tenant extends string>(
  ports: KeyPorts<Tenant>,
  request: KeyRequest<Tenant>,
): Promise<IssuedKey> {
  await expectAtMost(ports, request.tenant, LIMITS.tenant.keys - 1);
  const issued = await issueKey(ports, request);
  try {
    // Counted again after the write: if two concurrent creations exceed the limit, neither is
    // returned.
    await expectAtMost(ports, request.tenant, LIMITS.tenant.keys);
  } catch (error) {
    await revokeKey(ports, { ...issued.record, tenant: request.tenant });
    throw error;
  }
  return issued;
}

/** Makes a key without counting the tenant's keys. */
export async function issueKey<Tenant extends string>(
  ports: KeyPorts<Tenant>,
  request: KeyRequest<Tenant>,
): Promise<IssuedKey> {
  const key = formatApiKey(ports.random());
  const hash = hashApiKey(key);
  const made = defined({ hash, createdAt: ports.now, version: 0, ...request });
  try {
    return { key, record: await ports.keys.put({ ...made, tenant: request.tenant }) };
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) throw error;
    // A live key that nobody has would count among the tenant's keys.
    const record = (await ports.keys.ofTenant(request.tenant)).find((one) => one.hash === hash);
    if (record === undefined) throw error;
    return { key, record };
  }
}

/** Makes the successor of a key. Its default life is as long as the old key's original life. */
export async function replaceKey<Tenant extends string>(
  ports: KeyPorts<Tenant>,
  old: Of<Tenant, ApiKeyRecord>,
  expiresAt: Instant | undefined,
): Promise<IssuedKey> {
  const { tenant, name, scopes } = old;
  if (!isLive(old, ports.now)) {
    throw new KeyError(`the key ${apiKeyId(old)} has ended: make a new one`, 'gone');
  }
  const span = old.expiresAt === undefined ? undefined : old.expiresAt - old.createdAt;
  const end = expiresAt ?? (span === undefined ? undefined : ports.now + span);
  return await createKey(ports, { tenant, name, scopes, expiresAt: end });
}

/** Sets the end of a key; an earlier end stays. */
export async function endKey<Tenant extends string>(
  ports: KeyPorts<Tenant>,
  key: Of<Tenant, ApiKeyRecord>,
  end: Instant,
): Promise<ApiKeyRecord> {
  return await change(ports, key, (known) => ({
    ...known,
    expiresAt: earliest([known.expiresAt, end]),
  }));
}

/** Ends a key for good. Idempotent: the first end stays. */
export async function revokeKey<Tenant extends string>(
  ports: KeyPorts<Tenant>,
  key: Of<Tenant, ApiKeyRecord>,
): Promise<ApiKeyRecord> {
  return await change(ports, key, (known) => ({
    ...known,
    revokedAt: known.revokedAt ?? ports.now,
  }));
}

async function change<Tenant extends string>(
  { keys }: KeyPorts<Tenant>,
  { hash, tenant }: Of<Tenant, ApiKeyRecord>,
  changed: (known: ApiKeyRecord) => ApiKeyRecord,
): Promise<ApiKeyRecord> {
  const work = async () => {
    const known = (await keys.ofTenant(tenant)).find((key) => key.hash === hash);
    if (known === undefined) throw new KeyError('the key was deleted meanwhile', 'conflict');
    return await keys.put({ ...changed(known), tenant });
  };
  // The change is idempotent: a repetition after a lost answer keeps the first end.
  return await retryingConflicts(work, ATTEMPTS, mayHaveChanged);
}

async function expectAtMost<Tenant extends string>(
  { keys, now }: KeyPorts<Tenant>,
  tenant: Tenant,
  most: number,
): Promise<void> {
  const live = (await keys.ofTenant(tenant)).filter((key) => isLive(key, now));
  if (live.length <= most) return;
  const named = live.map((key) => `${apiKeyId(key)} (${key.name})`).join(', ');
  throw new KeyError(
    `the tenant ${tenant} has ${LIMITS.tenant.keys} live keys already: revoke one of ${named}`,
    'quota_exceeded',
  );
}
