import { createHash } from 'node:crypto';
import { LIMITS } from '#shared/domain/limits.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { shortened } from '#shared/domain/words.ts';
import { type ApiKeyRecord, apiKeyId, isLive, type SignIn } from './api-key.ts';

/** Differs from the prefix of API keys, so that a code is never looked up as a key. */
const PREFIX = 'fws_';
const FORM = /^fws_([0-9a-f]{10})[A-Za-z0-9_-]{43}$/;

/** A one-time code: the id of the key to sign in from, and 32 random bytes. */
export function formatSignInCode(key: ApiKeyRecord, random: Uint8Array): string {
  if (random.length !== 32) throw new RangeError('a sign-in code requires 32 random bytes');
  return `${PREFIX}${apiKeyId(key)}${Buffer.from(random).toString('base64url')}`;
}

/** The id of the key in a code; undefined for other texts. */
export function keyIdOfCode(text: string): string | undefined {
  return FORM.exec(text)?.[1];
}

/**
 * The hash under which a code is stored: SHA-256 without a salt, which 256 random bits do not need.
 */
export function hashSignInCode(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

/** Whether a code can still be redeemed. */
export function isRedeemable(
  key: ApiKeyRecord,
  { hash }: Pick<SignIn, 'hash'>,
  now: Instant,
): boolean {
  return isLive(key, now) && key.signIn?.hash === hash && key.signIn.expiresAt > now;
}

const NAMED = 'Phone, signed in from ';

/** The name of the key for a device that signs in from this key. The prefix is added only once. */
export function nameOfSignedIn({ name }: ApiKeyRecord): string {
  return name.startsWith(NAMED) ? name : shortened(`${NAMED}${name}`, LIMITS.text.characters);
}
