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
])('counts "%s" as %s', (label, unit) => {
  expect(unitOf(label)).toBe(unit);
});

it('lets a rule name the money of each chain', () => {
  expect(UNITS).toEqual(expect.arrayContaining(CHAINS.map(({ currency }) => currency)));
});

it('lets a rule name all money by one name only', () => {
  expect(UNITS.map(unitOf)).toEqual(UNITS);
});
