import { expect, it } from 'vitest';
import { ExactJsonText } from '#shared/domain/json-text.ts';

it.each([
  ['1', 1],
  ['-0.50', -0.5],
  ['1e21', 1e21],
  ['9007199254740993', '9007199254740993'],
  ['-12345678901234567890', '-12345678901234567890'],
  ['1.2345678901234567890E+19', '12345678901234567890'],
  ['0.10000000000000000001', '0.10000000000000000001'],
  ['1234567890123456789e-30', '0.000000000001234567890123456789'],
  ['1e999999999', '1e999999999'],
  ['[{"__proto__":12345678901234567890}]', JSON.parse('[{"__proto__":"12345678901234567890"}]')],
])('reads the JSON number in %s without rounding', (text, value) => {
  expect(ExactJsonText.parse(text)).toEqual(value);
});

it('reads a number with many zeros in linear time', () => {
  const digits = `1${'0'.repeat(200_000)}1`;

  expect(ExactJsonText.parse(digits)).toBe(digits);
});

it.each(['', '{"a":', 'NaN'])('rejects the text %j, which is not JSON', (text) => {
  expect(ExactJsonText.safeParse(text).error?.issues[0]?.message).toBe('expected JSON');
});
