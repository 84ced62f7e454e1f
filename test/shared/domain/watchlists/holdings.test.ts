import { expect, it } from 'vitest';
import {
  type Holding,
  quotaIssue,
  totalsOf,
  withSetAside,
  withSettled,
} from '#shared/domain/watchlists/holdings.ts';
import { NOON } from '#test/support/builders.ts';

const holding = (given: Partial<Holding>): Holding => ({
  ...{ list: 'punks', revision: 1, contracts: 0, watches: 0, at: NOON },
  ...given,
});
const holdings = (...lists: readonly Holding[]) => ({ tenant: 'acme', version: 1, lists });

it('a change sets aside the most of what was and what will be', () => {
  const [before, after] = [
    holding({ contracts: 9, watches: 2 }),
    holding({ contracts: 4, watches: 8 }),
  ];

  const { lists } = withSetAside(holdings(before), before, { ...after, revision: 2 });

  expect(lists).toEqual([holding({ revision: 2, contracts: 9, watches: 8 })]);
});

it('of rivals for a revision the most is set aside, and nothing of one that came too late for it', () => {
  const rival = holding({ revision: 2, contracts: 7 });
  const stale = holding({ revision: 1, contracts: 7 });
  const mine = holding({ revision: 2, contracts: 3 });

  expect(totalsOf(withSetAside(holdings(rival), undefined, mine)).contracts).toBe(7);
  expect(totalsOf(withSetAside(holdings(stale), undefined, mine)).contracts).toBe(3);
});

it('a change gives nothing back that a later one has set aside', () => {
  const later = holdings(holding({ revision: 3, contracts: 7 }));

  expect(withSettled(later, { id: 'punks', revision: 2 }, undefined)).toBe(later);
  expect(withSettled(later, { id: 'punks', revision: 3 }, undefined).lists).toEqual([]);
});

it('who is beyond a limit may still change all that adds nothing to it', () => {
  const much = holdings(holding({ contracts: 6000 }));
  const [same, less] = [holding({ contracts: 6000, watches: 9 }), holding({ contracts: 5500 })];

  expect(quotaIssue(much, holdings(same))).toBeUndefined();
  expect(quotaIssue(much, holdings(less))).toBeUndefined();
  expect(quotaIssue(holdings(less), much)).toContain('at most 5000 contracts');
});
