import { describe, expect, it } from 'vitest';
import { contractsThatFit, mostContracts, NO_CADENCES } from '#shared/domain/polling/cadences.ts';

const stack = (contracts: Readonly<Record<string, number>>) => ({
  ...NO_CADENCES,
  capacity: 100,
  contracts,
});

describe('the contracts that fit', () => {
  it.each([
    { tenant: 'a tenant alone', contracts: { acme: 500 }, fit: 100 },
    { tenant: 'one beside a modest one', contracts: { acme: 500, umbrella: 20 }, fit: 80 },
    { tenant: 'one beside a greedy one', contracts: { umbrella: 500 }, fit: 50 },
    { tenant: 'one among three greedy ones', contracts: { a: 500, b: 500, c: 500 }, fit: 25 },
    { tenant: 'one with a part of a contract', contracts: { acme: 0.5, umbrella: 0.5 }, fit: 99.5 },
  ])('are $fit of $tenant', ({ contracts, fit }) => {
    expect(contractsThatFit(stack(contracts), 'acme')).toBe(fit);
  });

  it('are not known before the first minute', () => {
    expect(contractsThatFit(NO_CADENCES, 'acme')).toBeUndefined();
  });
});

it.each([
  [30, 33 * 48],
  [1440, 33],
  [2880, 33],
])('at every %i minutes, %i contracts are polled once a day where 33 fit', (minutes, most) => {
  expect(mostContracts(33, minutes)).toBe(most);
});

it('a budget for less than one contract at every half an hour has some of them polled once a day', () => {
  expect(mostContracts(0.7, 30)).toBe(33);
});
