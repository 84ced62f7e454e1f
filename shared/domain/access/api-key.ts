import { createHash } from 'node:crypto';
import * as z from 'zod';
import { earliest, type Instant } from '#shared/domain/market/instant.ts';
import { permits, type Scope } from './scope.ts';

/** The stored record of an API key, which has the key's hash instead of the key. */
export type ApiKeyRecord = {
  readonly hash: string;
  readonly tenant: string;
  /** The name that people gave the key, such as its purpose. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Instant;
  readonly expiresAt?: Instant | undefined;
  /** Once this is set, the key is refused. */
  readonly revokedAt?: Instant | undefined;
  /** Hash of the key whose sign-in code created this key. This key ends no later than that key. */
  readonly signedInFrom?: string | undefined;
  /** The last one-time code with which another device may sign in from this key. */
  readonly signIn?: SignIn | undefined;
};

/** A one-time code. The code itself is never stored. */
export type SignIn = { readonly hash: string; readonly expiresAt: Instant };

/** A tenant's live keys, and those that ended recently. */
export type TenantKeys = {
  readonly keys: readonly ApiKeyRecord[];
  /** One version for all of the tenant's keys; every change to a key replaces it. */
  readonly version: number;
};

/** The public id of a key in lists and in the audit log. It grants no access. */
export const ApiKeyId = z
  .string()
  .regex(/^[0-9a-f]{10}$/, 'expected an API key id (ten hex digits)');

export function apiKeyId({ hash }: Pick<ApiKeyRecord, 'hash'>): string {
  return hash.slice(0, 10);
}

/** Whether a key grants access. */
export function isLive({ expiresAt, revokedAt }: ApiKeyRecord, now: Instant): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
}

export const KeyState = z.enum(['live', 'expired', 'revoked']);
export type KeyState = z.output<typeof KeyState>;

export function keyState(key: ApiKeyRecord, now: Instant): KeyState {
  if (key.revokedAt !== undefined) return 'revoked';
  return isLive(key, now) ? 'live' : 'expired';
}

/** The keys of devices that signed in with a key, directly or through another such device. */
export function signedInFrom<Key extends ApiKeyRecord>(
  { hash }: ApiKeyRecord,
  ofTenant: readonly Key[],
): readonly Key[] {
  const direct = ofTenant.filter((one) => one.signedInFrom === hash);
  return [...direct, ...direct.flatMap((one) => signedInFrom(one, ofTenant))];
}

/**
 * Whether this is the tenant's last live key with the scope `admin`. Keys of devices that signed in
 * with it are not counted, because they end with it.
 */
export function isLastAdmin(
  key: ApiKeyRecord,
  ofTenant: readonly ApiKeyRecord[],
  now: Instant,
): boolean {
  const isAdmin = (one: ApiKeyRecord) => isLive(one, now) && permits(one.scopes, 'admin');
  const ending = new Set([key, ...signedInFrom(key, ofTenant)].map(({ hash }) => hash));
  return isAdmin(key) && !ofTenant.some((one) => !ending.has(one.hash) && isAdmin(one));
}

/** When a key expires or was revoked, whichever is earlier; undefined if neither applies. */
export function endOfKey({ expiresAt, revokedAt }: ApiKeyRecord): Instant | undefined {
  return earliest([expiresAt, revokedAt]);
}

const PREFIX = 'fw_';
const FORM = /^fw_([A-Za-z0-9_-]{43})([0-9a-f]{6})$/;

/**
 * A key from 32 random bytes: prefix, the bytes in base64url, and six digits that detect typing
 * errors.
 */
export function formatApiKey(random: Uint8Array): string {
  if (random.length !== 32) throw new RangeError('an API key requires 32 random bytes');
  const secret = Buffer.from(random).toString('base64url');
  return `${PREFIX}${secret}${checksum(secret)}`;
}

/** Whether a text has the form of a key. Malformed keys are rejected without a look-up. */
export function isWellFormedApiKey(text: string): boolean {
  const [, secret = '', check] = FORM.exec(text) ?? [];
  return secret !== '' && checksum(secret) === check;
}

/**
 * The hash under which a key is stored: SHA-256 without a salt, which 256 random bits do not need.
 */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function checksum(secret: string): string {
  return createHash('sha256').update(`${PREFIX}${secret}`).digest('hex').slice(0, 6);
}
