import { expect, it } from 'vitest';
import { formatDecimal, parseDecimal, readDecimal } from '#shared/domain/market/decimal.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

const ONE = 10n ** 18n;

it.each([
  ['0', 0n],
  ['1', ONE],
  ['59.9', 599n * 10n ** 17n],
  ['-3', -3n * ONE],
  ['007.50', 75n * 10n ** 17n],
  ['0.000000000000000001', 1n],
  ['1.0000000000000000000000', ONE],
  ['0.050000000000000007', 50000000000000007n],
  ['99999999999999999999.999999999999999999', 10n ** 38n - 1n],
])('reads the plain decimal %s exactly', (text, value) => {
  expect(parseDecimal(text)).toBe(value);
  expect(readDecimal(text)).toBe(value);
});

it.each(['', ' 1', '1 ', '.5', '5.', '+1', '1,5', '0x10', 'NaN', 'Infinity', '1e3', '1_000', '١'])(
  'rejects "%s" as a plain decimal',
  (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  },
);

it('rejects a nineteenth fraction digit in a threshold, and truncates it in a price', () => {
  const text = '1.0000000000000000019';

  expect(parseDecimal(text)).toBeUndefined();
  expect(readDecimal(text)).toBe(ONE + 1n);
});

it.each([
  ['5e-2', '0.05'],
  ['1.5E+3', '1500'],
  [' 12.50 ', '12.5'],
  ['1e-18', '0.000000000000000001'],
  ['19e-19', '0.000000000000000001'],
  ['-19e-19', '-0.000000000000000001'],
  ['1e-999', '0'],
  ['123456789012345678901234567890e-20', '1234567890.1234567890123456789'.slice(0, -1)],
])('reads the vendor\'s "%s" as %s', (text, shortest) => {
  const value = readDecimal(text);

  expect(value === undefined ? undefined : formatDecimal(value)).toBe(shortest);
});

it.each(['', 'null', 'NaN', '-', '1e', '1e999', '0x1', '1 2'])(
  'reads no price from "%s"',
  (text) => {
    expect(readDecimal(text)).toBeUndefined();
  },
);

it.each([
  ['0.050000000000000000', '0.050000000000000007'],
  ['59.9', '59.900000000000000001'],
])('distinguishes the decimals %s and %s, unlike a float', (left, right) => {
  expect(readDecimal(left)).not.toBe(readDecimal(right));
  expect(parseDecimal(left)).not.toBe(parseDecimal(right));
});

it('reads back every decimal that it formatted', () => {
  const random = createSeededRandom(1);
  const digits = () =>
    Array.from({ length: 1 + random.below(38) }, () => random.below(10)).join('');
  const values = Array.from({ length: 500 }, () => BigInt(digits()) * random.pick([1n, -1n]));

  const formatted = values.map(formatDecimal);

  expect(formatted.map(parseDecimal)).toEqual(values);
  expect(formatted.map(readDecimal)).toEqual(values);
  expect(formatted.filter((text) => !/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/.test(text))).toEqual([]);
});

it.each([
  { price: '9.5000000000000000001', line: '9.5', side: 'above' },
  { price: '9.4999999999999999999', line: '9.5', side: 'below' },
  { price: '0.0029899999999999996', line: '0.00299', side: 'below' },
  { price: '0.00299000000000000001', line: '0.00299', side: 'above' },
  { price: '9.50000000000000000000', line: '9.5', side: 'at' },
])('a price of $price stays $side $line when it is truncated', ({ price, line, side }) => {
  const [value = 0n, threshold = 0n] = [readDecimal(price), parseDecimal(line)];

  expect(value > threshold ? 'above' : value < threshold ? 'below' : 'at').toBe(side);
});
