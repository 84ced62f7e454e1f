import { expect, it } from 'vitest';
import {
  ContactPointError,
  expectUnusedContactPoints,
  type ListUsage,
  quotaIssue,
  withListUsage,
} from '#shared/domain/watchlists/quota-usage.ts';

const listUsage = (given: Partial<ListUsage>): ListUsage => ({
  ...{ list: 'punks', contracts: 0, watches: 0, contactPoints: [] },
  ...given,
});
const quotaUsage = (...lists: readonly ListUsage[]) => ({ tenant: 'acme', version: 1, lists });

it('replaces the usage of a list when it changes, and removes it when the list is deleted', () => {
  const [before, after, other] = [
    listUsage({ contracts: 9, watches: 2 }),
    listUsage({ contracts: 4, watches: 8 }),
    listUsage({ list: 'apes' }),
  ];

  expect(withListUsage(quotaUsage(before, other), 'punks', after)).toEqual(
    quotaUsage(other, after),
  );
  expect(withListUsage(quotaUsage(before, other), 'punks', undefined)).toEqual(quotaUsage(other));
});

it('lets a tenant above a limit make changes that add nothing', () => {
  const much = quotaUsage(listUsage({ contracts: 6000 }));
  const [same, less] = [listUsage({ contracts: 6000, watches: 9 }), listUsage({ contracts: 5500 })];

  expect(quotaIssue(much, quotaUsage(same))).toBeUndefined();
  expect(quotaIssue(much, quotaUsage(less))).toBeUndefined();
  expect(quotaIssue(quotaUsage(less), much)).toContain('at most 5000 contracts');
});

it('refuses to remove a contact point that lists use', () => {
  const usage = quotaUsage(listUsage({ contactPoints: ['desk'] }));

  expect(() => expectUnusedContactPoints(usage, ['team', 'desk'])).toThrow(ContactPointError);
  expect(() => expectUnusedContactPoints(usage, ['team'])).not.toThrow();
});
