import { expect, it } from 'vitest';
import { CHAINS } from '#shared/domain/market/chains.ts';
import { UNITS, unitOf } from '#shared/domain/market/currency.ts';

it.each([
  ['eth', 'eth'],
  [' WETH ', 'eth'],
  ['MATIC', 'pol'],
  ['wBNB', 'bnb'],
  ['usdc', 'usdc'],
  ['steth', 'steth'],
])('normalizes the currency "%s" to %s', (label, unit) => {
  expect(unitOf(label)).toBe(unit);
});

it('accepts the native currency of each chain as the unit of a rule', () => {
  expect(UNITS).toEqual(expect.arrayContaining(CHAINS.map(({ currency }) => currency)));
});

it('lists each unit under its canonical name only', () => {
  expect(UNITS.map(unitOf)).toEqual(UNITS);
});
