import { createHash } from 'node:crypto';

/** What a key lets its holder do. */
export type Scope = 'read' | 'write' | 'admin';

/** What is known of a key; the key itself is never kept. */
export type ApiKeyRecord = {
  readonly tenant: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly expiresAt?: number;
};

const PREFIX = 'fw_';
const FORM = /^fw_([A-Za-z0-9_-]{43})([0-9a-f]{6})$/;

/** A key from 32 random bytes: prefix, the bytes in base64url, and six digits that catch typing errors. */
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
