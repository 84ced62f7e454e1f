import { expect, it } from 'vitest';
import { formatApiKey, hashApiKey, isWellFormedApiKey } from '#shared/domain/access/api-key.ts';

const KEY = formatApiKey(new Uint8Array(32).fill(7));

it('knows a key that it made', () => {
  expect(KEY).toMatch(/^fw_[\w-]{49}$/);
  expect(isWellFormedApiKey(KEY)).toBe(true);
});

it.each(Array.from({ length: KEY.length }, (_, index) => index))(
  'notices a slip at character %d',
  (index) => {
    const slip = KEY[index] === '0' ? '1' : '0';

    expect(isWellFormedApiKey(KEY.slice(0, index) + slip + KEY.slice(index + 1))).toBe(false);
  },
);

it.each(['', ' ', `${KEY} `, `${KEY}\n`, KEY.toUpperCase(), KEY.slice(0, -1), `${KEY}0`])(
  'takes "%s" for no key',
  (text) => {
    expect(isWellFormedApiKey(text)).toBe(false);
  },
);

it('is made of 32 random bytes and of nothing less', () => {
  expect(() => formatApiKey(new Uint8Array(31))).toThrow(RangeError);
});

it('is kept as its SHA-256, never as itself', () => {
  expect(hashApiKey(KEY)).toMatch(/^[0-9a-f]{64}$/);
  expect(hashApiKey(KEY)).not.toContain(KEY.slice(3, 20));
});
