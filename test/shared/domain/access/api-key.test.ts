import { expect, it } from 'vitest';
import { formatApiKey, hashApiKey, isWellFormedApiKey } from '#shared/domain/access/api-key.ts';

const KEY = formatApiKey(new Uint8Array(32).fill(7));

it('accepts a newly created API key', () => {
  expect(KEY).toMatch(/^fw_[\w-]{49}$/);
  expect(isWellFormedApiKey(KEY)).toBe(true);
});

it.each(Array.from({ length: KEY.length }, (_, index) => index))(
  'detects a typo at character %d of an API key',
  (index) => {
    const slip = KEY[index] === '0' ? '1' : '0';

    expect(isWellFormedApiKey(KEY.slice(0, index) + slip + KEY.slice(index + 1))).toBe(false);
  },
);

it.each(['', ' ', `${KEY} `, `${KEY}\n`, KEY.toUpperCase(), KEY.slice(0, -1), `${KEY}0`])(
  'rejects "%s" as an API key',
  (text) => {
    expect(isWellFormedApiKey(text)).toBe(false);
  },
);

it('requires at least 32 random bytes for an API key', () => {
  expect(() => formatApiKey(new Uint8Array(31))).toThrow(RangeError);
});

it('hashes an API key with SHA-256', () => {
  expect(hashApiKey(KEY)).toMatch(/^[0-9a-f]{64}$/);
  expect(hashApiKey(KEY)).not.toContain(KEY.slice(3, 20));
});
