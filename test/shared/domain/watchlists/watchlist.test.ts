import { expect, it } from 'vitest';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { omit } from '#shared/domain/omit.ts';
import {
  affectedContracts,
  generationOf,
  rulesOn,
  tombstoneOf,
  type Watchlist,
} from '#shared/domain/watchlists/watchlist.ts';
import { APES, aRuleBody, aWatchlist, PUNKS } from '#test/support/builders.ts';

const contract = (number: number): ContractKey => `eth:0x${number.toString(16).padStart(40, '0')}`;

it('assigns an unused id to each rule that has none', () => {
  const nameless = omit(aRuleBody(), 'id');

  const list = aWatchlist({ rules: [nameless, aRuleBody({ id: 'rule-2' }), nameless] });

  expect(list.rules.map(({ id }) => id)).toEqual(['rule-1', 'rule-2', 'rule-3']);
});

const before = aWatchlist({
  contracts: [PUNKS, APES],
  rules: [aRuleBody(), aRuleBody({ id: 'high', when: 'above', threshold: '90' })],
});
const asBody = (change: object = {}) => ({
  contracts: [PUNKS, APES],
  rules: [aRuleBody(), aRuleBody({ id: 'high', when: 'above', threshold: '90' })],
  ...change,
});

/** The generation of each rule on each member; the ids of its alerts start with it. */
const generations = (list: Watchlist) =>
  list.members.flatMap((member) =>
    rulesOn(list, member.contract).map((rule) => generationOf(rule, member)),
  );

it.each([
  { edit: 'nothing', change: {}, after: [1, 1, 1, 1], touches: [] },
  { edit: 'the name', change: { name: 'Others' }, after: [1, 1, 1, 1], touches: [] },
  {
    edit: "a member's name",
    change: { contracts: [{ contract: PUNKS, name: 'Punks' }, APES] },
    after: [1, 1, 1, 1],
    touches: [PUNKS],
  },
  {
    edit: 'the order of members',
    change: { contracts: [APES, PUNKS] },
    after: [1, 1, 1, 1],
    touches: [],
  },
  {
    edit: 'an additional member',
    change: { contracts: [PUNKS, APES, contract(1)] },
    after: [1, 1, 1, 1, 2, 2],
    touches: [contract(1)],
  },
  { edit: 'a removed member', change: { contracts: [PUNKS] }, after: [1, 1], touches: [APES] },
  {
    edit: 'a label',
    change: { rules: [aRuleBody({ label: 'x' })] },
    after: [1, 1],
    touches: [PUNKS, APES],
  },
  {
    edit: 'a threshold',
    change: { rules: [aRuleBody({ threshold: '61' })] },
    after: [2, 2],
    touches: [PUNKS, APES],
  },
  {
    edit: 'a pause',
    change: { rules: [aRuleBody({ enabled: false })] },
    after: [2, 2],
    touches: [PUNKS, APES],
  },
  {
    edit: 'one member instead of all',
    change: { rules: [aRuleBody({ on: APES })] },
    after: [2],
    touches: [PUNKS, APES],
  },
])('gives rules the generations $after after a change of $edit', ({ change, after, touches }) => {
  const list = aWatchlist(asBody(change), before);

  expect(list.revision).toBe(2);
  expect(generations(list)).toEqual(after);
  expect(affectedContracts(before, list)).toEqual(touches);
});

it('affectedContracts returns all contracts of a new list', () => {
  expect(affectedContracts(undefined, before)).toEqual([PUNKS, APES]);
});

it('starts a new generation when a member or a rule is added again after its removal', () => {
  const without = aWatchlist(asBody({ contracts: [PUNKS], rules: [] }), before);

  const again = aWatchlist(asBody(), without);

  expect(again.members.map(({ joined }) => joined)).toEqual([1, 3]);
  expect(again.rules.map(({ since }) => since)).toEqual([3, 3]);
});

it('a list that is created again continues the revisions of the deleted list, without its content', () => {
  const tombstone = tombstoneOf(before, 0);

  const again = aWatchlist(asBody(), tombstone);

  expect(tombstone).toMatchObject({
    revision: 2,
    deleted: true,
    members: [],
    rules: [],
    channels: [],
  });
  expect(affectedContracts(before, tombstone)).toEqual([PUNKS, APES]);
  expect(again).toMatchObject({ revision: 3, deleted: false });
  expect(generations(again)).toEqual([3, 3, 3, 3]);
});

it('applies no rule to a contract that is not a member', () => {
  expect(rulesOn(before, contract(9))).toEqual([]);
});
