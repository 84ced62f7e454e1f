import { describe, expect, it } from 'vitest';
import { contractsThatFit, mostContracts, NO_CADENCES } from '#shared/domain/polling/cadences.ts';

const stack = (contracts: Readonly<Record<string, number>>) => ({
  ...NO_CADENCES,
  capacity: 100,
  contracts,
});

describe('the number of contracts in a share', () => {
  it.each([
    { tenant: 'a tenant alone', contracts: { acme: 500 }, fit: 100 },
    { tenant: 'a tenant next to a modest one', contracts: { acme: 500, umbrella: 20 }, fit: 80 },
    { tenant: 'a tenant next to a greedy one', contracts: { umbrella: 500 }, fit: 50 },
    { tenant: 'one of three greedy tenants', contracts: { a: 500, b: 500, c: 500 }, fit: 25 },
    {
      tenant: 'a tenant that shares a contract',
      contracts: { acme: 0.5, umbrella: 0.5 },
      fit: 99.5,
    },
  ])('gives a share of $fit contracts to $tenant', ({ contracts, fit }) => {
    expect(contractsThatFit(stack(contracts), 'acme')).toBe(fit);
  });

  it('reports no share of contracts before the first pass', () => {
    expect(contractsThatFit(NO_CADENCES, 'acme')).toBeUndefined();
  });
});

it.each([
  [30, 33 * 48],
  [1440, 33],
  [2880, 33],
])(
  'with a share of 33 contracts at a cadence of %i minutes, a tenant may have %i contracts',
  (minutes, most) => {
    expect(mostContracts(33, minutes)).toBe(most);
  },
);

it('with a share of 0.7 contracts at a cadence of 30 minutes, a tenant may have 33 contracts', () => {
  expect(mostContracts(0.7, 30)).toBe(33);
});
