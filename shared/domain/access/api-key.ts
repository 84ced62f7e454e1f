import { createHash } from 'node:crypto';
import * as z from 'zod';
import { earliest, type Instant } from '#shared/domain/market/instant.ts';
import { permits, type Scope } from './scope.ts';

/** What is known of a key; the key itself is never kept. */
export type ApiKeyRecord = {
  readonly hash: string;
  readonly tenant: string;
  /** What its holder uses it for. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Instant;
  readonly expiresAt?: Instant | undefined;
  /** Once set the key is refused, whatever the clock. */
  readonly revokedAt?: Instant | undefined;
  /** The hash of the key that this one was signed in from. Both end together, or this one earlier. */
  readonly signedInFrom?: string | undefined;
  /** The last one-time code by which another device may sign in from this key. */
  readonly signIn?: SignIn | undefined;
};

/** A one-time code; the code itself is never kept. */
export type SignIn = { readonly hash: string; readonly expiresAt: Instant };

/** The keys of a tenant that are live or ended not long ago. */
export type TenantKeys = {
  readonly keys: readonly ApiKeyRecord[];
  /** Identifies this state of all keys of the tenant: each change replaces it. */
  readonly version: number;
};

/** What people call a key by, in lists and in the audit log; it opens nothing. */
export const ApiKeyId = z
  .string()
  .regex(/^[0-9a-f]{10}$/, 'expected the id of a key, which is ten hex digits');

export function apiKeyId({ hash }: Pick<ApiKeyRecord, 'hash'>): string {
  return hash.slice(0, 10);
}

/** Whether a key opens anything. */
export function isLive({ expiresAt, revokedAt }: ApiKeyRecord, now: Instant): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
}

/** How a key stands. */
export const KeyState = z.enum(['live', 'expired', 'revoked']);
export type KeyState = z.output<typeof KeyState>;

export function keyState(key: ApiKeyRecord, now: Instant): KeyState {
  if (key.revokedAt !== undefined) return 'revoked';
  return isLive(key, now) ? 'live' : 'expired';
}

/** The keys that were signed in from a key, and those that were signed in from them. */
export function signedInFrom<Key extends ApiKeyRecord>(
  { hash }: ApiKeyRecord,
  ofTenant: readonly Key[],
): readonly Key[] {
  const direct = ofTenant.filter((one) => one.signedInFrom === hash);
  return [...direct, ...direct.flatMap((one) => signedInFrom(one, ofTenant))];
}

/** Whether no other key of a tenant could make keys if this one ended, and those signed in from it. */
export function isLastAdmin(
  key: ApiKeyRecord,
  ofTenant: readonly ApiKeyRecord[],
  now: Instant,
): boolean {
  const isAdmin = (one: ApiKeyRecord) => isLive(one, now) && permits(one.scopes, 'admin');
  const ending = new Set([key, ...signedInFrom(key, ofTenant)].map(({ hash }) => hash));
  return isAdmin(key) && !ofTenant.some((one) => !ending.has(one.hash) && isAdmin(one));
}

/** The moment from which a key opens nothing any more; undefined for one without an end. */
export function endOfKey({ expiresAt, revokedAt }: ApiKeyRecord): Instant | undefined {
  return earliest([expiresAt, revokedAt]);
}

const PREFIX = 'fw_';
const FORM = /^fw_([A-Za-z0-9_-]{43})([0-9a-f]{6})$/;

/**
 * A key from 32 random bytes: prefix, the bytes in base64url, and six digits that catch typing
 * errors.
 */
export function formatApiKey(random: Uint8Array): string {
  if (random.length !== 32) throw new RangeError('a key is made of 32 random bytes');
  const secret = Buffer.from(random).toString('base64url');
  return `${PREFIX}${secret}${checksum(secret)}`;
}

/** Whether a text can be a key at all: asking the table about anything else is in vain. */
export function isWellFormedApiKey(text: string): boolean {
  const [, secret = '', check] = FORM.exec(text) ?? [];
  return secret !== '' && checksum(secret) === check;
}

/** What a key is kept and found under: SHA-256, which 256 random bits need no salt for. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function checksum(secret: string): string {
  return createHash('sha256').update(`${PREFIX}${secret}`).digest('hex').slice(0, 6);
}
