import { expect, it } from 'vitest';
import { unitOf } from '#shared/domain/market/currency.ts';

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
