import { expect, it } from 'vitest';
import { decimalIn, readDecimal } from '#console/form/decimals.tsx';

it.each([
  ['1.5', '1.5'],
  ['1,5', '1.5'],
  [' 1,5 ', '1.5'],
  [',5', '0.5'],
  ['.5', '0.5'],
  ['007', '7'],
  ['1.', '1'],
  ['0,125', '0.125'],
  ['-3,5', '-3.5'],
  ['−3.5', '-3.5'],
  ['12 500', '12500'],
  ["12'500.25", '12500.25'],
  ['1,234.5', '1234.5'],
  ['1.234,5', '1234.5'],
  ['12,345,678', '12345678'],
  ['1.234.567', '1234567'],
  ['0.000000000000000001', '0.000000000000000001'],
])('a decimal field reads "%s" as %s, digit by digit', (text, decimal) => {
  expect(decimalIn(text)).toBe(decimal);
});

it('a comma before three digits is ambiguous, because it may separate thousands', () => {
  expect(readDecimal('1,125')).toEqual({ kind: 'ambiguous', readings: ['1.125', '1125'] });
  expect(decimalIn('1,125')).toBeUndefined();
});

it.each(['twelve', '1,2,3', '1.2.3', '1e3', '12 ETH', '-', ','])(
  'a decimal field reads no number in "%s"',
  (text) => {
    expect(readDecimal(text)).toEqual({ kind: 'unreadable' });
  },
);

it('an empty decimal field has no number', () => {
  expect(readDecimal('  ')).toEqual({ kind: 'none' });
});
