import { expect, it } from 'vitest';
import {
  type ListUsage,
  quotaIssue,
  totalsOf,
  withReserved,
  withSettled,
} from '#shared/domain/watchlists/quota-usage.ts';
import { NOON } from '#test/support/builders.ts';

const listUsage = (given: Partial<ListUsage>): ListUsage => ({
  ...{ list: 'punks', revision: 1, contracts: 0, watches: 0, contactPoints: [], at: NOON },
  ...given,
});
const quotaUsage = (...lists: readonly ListUsage[]) => ({
  ...{ tenant: 'acme', version: 1, lists, withdrawn: [] },
});

it('a change reserves the most of what was and what will be', () => {
  const [before, after] = [
    listUsage({ contracts: 9, watches: 2 }),
    listUsage({ contracts: 4, watches: 8 }),
  ];

  const { lists } = withReserved(quotaUsage(before), before, { ...after, revision: 2 });

  expect(lists).toEqual([listUsage({ revision: 2, contracts: 9, watches: 8 })]);
});

it('of rivals for a revision the most is reserved, and nothing of one that came too late for it', () => {
  const rival = listUsage({ revision: 2, contracts: 7 });
  const stale = listUsage({ revision: 1, contracts: 7 });
  const mine = listUsage({ revision: 2, contracts: 3 });

  expect(totalsOf(withReserved(quotaUsage(rival), undefined, mine)).contracts).toBe(7);
  expect(totalsOf(withReserved(quotaUsage(stale), undefined, mine)).contracts).toBe(3);
});

it('a change releases nothing that a later one has reserved', () => {
  const later = quotaUsage(listUsage({ revision: 3, contracts: 7 }));

  expect(withSettled(later, { id: 'punks', revision: 2 }, undefined)).toBe(later);
  expect(withSettled(later, { id: 'punks', revision: 3 }, undefined).lists).toEqual([]);
});

it('a tenant beyond a limit may still change all that adds nothing to it', () => {
  const much = quotaUsage(listUsage({ contracts: 6000 }));
  const [same, less] = [listUsage({ contracts: 6000, watches: 9 }), listUsage({ contracts: 5500 })];

  expect(quotaIssue(much, quotaUsage(same))).toBeUndefined();
  expect(quotaIssue(much, quotaUsage(less))).toBeUndefined();
  expect(quotaIssue(quotaUsage(less), much)).toContain('at most 5000 contracts');
});
