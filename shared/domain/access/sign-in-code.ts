import { createHash } from 'node:crypto';
import { LIMITS } from '#shared/domain/limits.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { shortened } from '#shared/domain/words.ts';
import { type ApiKeyRecord, apiKeyId, isLive, type SignIn } from './api-key.ts';

/** Unlike that of an API key, so a code is never looked up as one. */
const PREFIX = 'fws_';
const FORM = /^fws_([0-9a-f]{10})[A-Za-z0-9_-]{43}$/;

/** A one-time code from the id of the key that it signs in from and 32 random bytes. */
export function formatSignInCode(key: ApiKeyRecord, random: Uint8Array): string {
  if (random.length !== 32) throw new RangeError('a code is made of 32 random bytes');
  return `${PREFIX}${apiKeyId(key)}${Buffer.from(random).toString('base64url')}`;
}

/** The id of the key that a code signs in from; undefined for a text that is no code. */
export function keyIdOfCode(text: string): string | undefined {
  return FORM.exec(text)?.[1];
}

/** The form in which a code is stored: SHA-256, which 256 random bits need no salt for. */
export function hashSignInCode(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

/** Whether a code still signs in another device with a key. */
export function isRedeemable(
  key: ApiKeyRecord,
  { hash }: Pick<SignIn, 'hash'>,
  now: Instant,
): boolean {
  return isLive(key, now) && key.signIn?.hash === hash && key.signIn.expiresAt > now;
}

const NAMED = 'Phone, signed in from ';

/** The name of the key of another device. A phone that signs in another one adds no words. */
export function nameOfSignedIn({ name }: ApiKeyRecord): string {
  return name.startsWith(NAMED) ? name : shortened(`${NAMED}${name}`, LIMITS.text.characters);
}
