import {
  type ApiKeyRecord,
  apiKeyId,
  formatApiKey,
  hashApiKey,
  isLive,
  signedInFrom,
  type TenantKeys,
} from '#shared/domain/access/api-key.ts';
import { KeyError } from '#shared/domain/access/key-error.ts';
import { defined } from '#shared/domain/defined.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { earliest, type Instant } from '#shared/domain/market/instant.ts';
import { mayHaveChanged } from '#shared/domain/outcome-unknown.ts';
import type { Change, ChangeKind } from '#shared/domain/watchlists/change.ts';
import type { Of } from './commit-change.ts';
import { retryingConflicts } from './retrying-conflicts.ts';

export type KeyPorts<Tenant extends string = string> = {
  readonly now: Instant;
  /** Returns 32 cryptographically random bytes. */
  readonly random: () => Uint8Array;
  readonly keys: {
    readonly ofTenant: (tenant: Tenant) => Promise<TenantKeys>;
    /**
     * Writes a change in one transaction. Throws VersionConflictError if a key of the tenant has
     * changed since the version was read.
     */
    readonly commit: (change: KeyChange<Tenant>) => Promise<void>;
  };
  /** The audit log entry of a changed key; undefined for a change that is not logged. */
  readonly entryOf: (
    key: Of<Tenant, ApiKeyRecord>,
    kind: KeyChangeKind,
  ) => Of<Tenant, Change> | undefined;
};

type KeyChangeKind = Extract<ChangeKind, `key_${string}`>;

/** New and replaced keys of a tenant, with their audit log entries. */
export type KeyChange<Tenant extends string = string> = {
  readonly tenant: Tenant;
  /** The version that the change replaces. */
  readonly version: number;
  readonly keys: readonly Of<Tenant, ApiKeyRecord>[];
  readonly entries: readonly Of<Tenant, Change>[];
};

/** The members of a new key. */
export type KeyRequest<Tenant extends string = string> = Of<
  Tenant,
  Pick<ApiKeyRecord, 'tenant' | 'name' | 'scopes' | 'expiresAt'>
>;

/** A new key, which is shown once, and its stored record. */
export type IssuedKey<Tenant extends string = string> = {
  readonly key: string;
  readonly record: Of<Tenant, ApiKeyRecord>;
};

type Changed<Tenant extends string> = {
  readonly key: Of<Tenant, ApiKeyRecord>;
  /** Undefined for a change that is not logged. */
  readonly kind?: KeyChangeKind;
};

const ATTEMPTS = 5;

/** Creates a key; throws KeyError if its tenant has the maximum number of active keys. */
export async function createKey<Tenant extends string>(
  ports: KeyPorts<Tenant>,
  request: KeyRequest<Tenant>,
): Promise<IssuedKey<Tenant>> {
  const issued = newKey(ports, request);
  await changeKeys(ports, request.tenant, (known) =>
    has(known, issued.record) ? [] : [{ key: withRoomFor(ports, known, issued), kind: 'key_made' }],
  );
  return issued;
}

/**
 * Creates the successor of a key. The old key, and the keys of devices that signed in with it,
 * expire after an overlap unless they expire earlier. By default the successor is valid as long as
 * the old key originally was.
 */
export async function rotateKey<Tenant extends string>(
  ports: KeyPorts<Tenant>,
  old: Of<Tenant, ApiKeyRecord>,
  { expiresAt, overlap }: { readonly expiresAt: Instant | undefined; readonly overlap: number },
): Promise<{ readonly issued: IssuedKey<Tenant>; readonly ended: ApiKeyRecord }> {
  const { tenant, name, scopes } = old;
  const span = old.expiresAt === undefined ? undefined : old.expiresAt - old.createdAt;
  const end = expiresAt ?? (span === undefined ? undefined : ports.now + span);
  const issued = newKey(ports, { tenant, name, scopes, expiresAt: end });
  const known = await changeKeys(ports, tenant, (keys) => {
    if (has(keys, issued.record)) return [];
    const current = found(keys, old);
    if (!isLive(current, ports.now)) {
      throw new KeyError(
        `the key ${apiKeyId(old)} has expired or was revoked: create a new one`,
        'gone',
      );
    }
    const ending = (one: ApiKeyRecord) => ({
      ...{ ...one, tenant, expiresAt: earliest([one.expiresAt, ports.now + overlap]) },
    });
    return [
      { key: withRoomFor(ports, keys, issued), kind: 'key_made' },
      { key: ending(current), kind: 'key_rotated' },
      ...liveSignedInFrom(ports, current, keys).map((one) => ({ key: ending(one) })),
    ];
  });
  return { issued, ended: found(known, old) };
}

/**
 * Revokes a key, and the keys of devices that signed in with it. If the key is already revoked,
 * nothing is written. `check` can throw to refuse.
 */
export async function revokeKey<Tenant extends string>(
  ports: KeyPorts<Tenant>,
  key: Of<Tenant, ApiKeyRecord>,
  check: (current: ApiKeyRecord, all: readonly ApiKeyRecord[]) => void = () => {},
): Promise<ApiKeyRecord> {
  const { tenant } = key;
  const known = await changeKeys(ports, tenant, (keys) => {
    const current = found(keys, key);
    if (current.revokedAt !== undefined) return [];
    check(current, keys);
    return [current, ...liveSignedInFrom(ports, current, keys)].map((one) => ({
      ...{ key: { ...one, tenant, revokedAt: ports.now }, kind: 'key_revoked' },
    }));
  });
  return found(known, key);
}

/**
 * Changes keys of a tenant and returns all of them. After a conflict or an unknown outcome,
 * `decide` is called again with the current keys, so it must recognize changes that it has already
 * made.
 */
export async function changeKeys<Tenant extends string>(
  { keys, entryOf }: KeyPorts<Tenant>,
  tenant: Tenant,
  decide: (known: readonly ApiKeyRecord[]) => readonly Changed<Tenant>[],
): Promise<readonly ApiKeyRecord[]> {
  const work = async () => {
    const known = await keys.ofTenant(tenant);
    const changed = decide(known.keys);
    if (changed.length === 0) return known.keys;
    const after = changed.map(({ key }) => key);
    const entries = changed.flatMap(({ key, kind }) => (kind && entryOf(key, kind)) ?? []);
    await keys.commit({ tenant, version: known.version, keys: after, entries });
    return [...known.keys.filter((one) => !has(after, one)), ...after];
  };
  return await retryingConflicts(work, ATTEMPTS, mayHaveChanged);
}

export function newKey<Tenant extends string>(
  { now, random }: KeyPorts<Tenant>,
  request: KeyRequest<Tenant>,
): IssuedKey<Tenant> {
  const key = formatApiKey(random());
  const record = defined({ hash: hashApiKey(key), createdAt: now, ...request });
  return { key, record: { ...record, tenant: request.tenant } };
}

export function has(keys: readonly ApiKeyRecord[], { hash }: ApiKeyRecord): boolean {
  return keys.some((key) => key.hash === hash);
}

export function found(keys: readonly ApiKeyRecord[], { hash }: ApiKeyRecord): ApiKeyRecord {
  const key = keys.find((one) => one.hash === hash);
  if (key === undefined)
    throw new KeyError('the key was deleted by a concurrent request', 'conflict');
  return key;
}

function liveSignedInFrom<Tenant extends string>(
  { now }: Pick<KeyPorts<Tenant>, 'now'>,
  key: ApiKeyRecord,
  known: readonly ApiKeyRecord[],
): readonly ApiKeyRecord[] {
  return signedInFrom(key, known).filter((one) => isLive(one, now));
}

/** The record of a new key; throws KeyError if its tenant has the maximum number of active keys. */
function withRoomFor<Tenant extends string>(
  ports: KeyPorts<Tenant>,
  known: readonly ApiKeyRecord[],
  { record }: IssuedKey<Tenant>,
): Of<Tenant, ApiKeyRecord> {
  expectRoom(ports, known, record.tenant);
  return record;
}

/** Throws KeyError if a tenant has the maximum number of active keys. */
export function expectRoom(
  { now }: Pick<KeyPorts, 'now'>,
  known: readonly ApiKeyRecord[],
  tenant: string,
): void {
  const live = known.filter((key) => isLive(key, now));
  if (live.length < LIMITS.tenant.keys) return;
  const named = live.map((key) => `${apiKeyId(key)} (${key.name})`).join(', ');
  throw new KeyError(
    `the tenant ${tenant} has ${LIMITS.tenant.keys} active keys, which is the maximum: revoke one of ${named}`,
    'quota_exceeded',
  );
}
