import { expect, it } from 'vitest';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import {
  affectedContracts,
  entomb,
  generationOf,
  rulesOn,
  type Watchlist,
  WatchlistBody,
} from '#shared/domain/watchlists/watchlist.ts';
import { APES, aRuleBody, aWatchlist, aWatchlistBody, PUNKS } from '#test/support/builders.ts';

const contract = (number: number): ContractKey => `eth:0x${number.toString(16).padStart(40, '0')}`;
const many = <Thing>(count: number, make: (index: number) => Thing) =>
  Array.from({ length: count }, (_, index) => make(index));
const ON_FLOW = PUNKS.replace('eth:', 'flow:');
const email = { kind: 'email', to: 'desk@example.com' };

it('takes a name alone for a watchlist', () => {
  expect(WatchlistBody.parse({ name: 'Punks' })).toEqual({
    name: 'Punks',
    contracts: [],
    rules: [],
    channels: [],
  });
});

it.each<[at: string, expected: string, given: object]>([
  ['name', 'expected string', { name: undefined }],
  ['name', 'one line', { name: 'two\nlines' }],
  ['id', 'lower-case', { id: 'PUNKS' }],
  ['contracts.0.name', 'control', { contracts: [{ contract: PUNKS, name: 'a\u0007' }] }],
  ['contracts', 'expected array', { contracts: 'all' }],
  ['contracts.1', 'once', { contracts: [PUNKS, PUNKS.toUpperCase().replace('0X', '0x')] }],
  ['contracts.1', 'once', { contracts: [PUNKS, { contract: PUNKS }] }],
  ['contracts', '500', { contracts: many(501, contract) }],
  ['rules', '50', { rules: many(51, (index) => aRuleBody({ id: `r${index}` })) }],
  ['rules.1.id', 'no other rule', { rules: [aRuleBody(), aRuleBody()] }],
  ['rules.0.on', 'a contract of this list', { rules: [aRuleBody({ on: APES })] }],
  ['rules.0.metric', 'flow has no floor prices', { contracts: [ON_FLOW] }],
  ['rules.0.metric', 'flow has no floor', { contracts: [PUNKS, ON_FLOW] }],
  [
    'rules',
    '10000 watches',
    { contracts: many(500, contract), rules: many(21, (index) => aRuleBody({ id: `r${index}` })) },
  ],
  ['channels.0.to', 'email address', { channels: [{ ...email, to: 'desk' }] }],
  ['channels.1.id', 'no other channel', { channels: many(2, () => ({ ...email, id: 'a' })) }],
  ['channels', '20', { channels: many(21, () => email) }],
  ['', 'channel', { channel: [] }],
])('refuses %s, expecting %s', (at, expected, given) => {
  const issues = WatchlistBody.safeParse(aWatchlistBody(given)).error?.issues ?? [];

  expect(issues.map(({ path }) => path.join('.'))).toEqual([at]);
  expect(issues[0]?.message).toContain(expected);
});

it.each([
  {
    what: 'the lowest sale on flow',
    given: { contracts: [ON_FLOW], rules: [aRuleBody({ metric: 'lowest_price' })] },
  },
  {
    what: 'a floor beside flow',
    given: { contracts: [PUNKS, ON_FLOW], rules: [aRuleBody({ on: PUNKS })] },
  },
  {
    what: '500 contracts with 20 rules',
    given: {
      contracts: many(500, contract),
      rules: many(20, (index) => aRuleBody({ id: `r${index}` })),
    },
  },
])('takes $what', ({ given }) => {
  expect(WatchlistBody.safeParse(aWatchlistBody(given)).success).toBe(true);
});

it('names each refused member of a body', () => {
  const body = aWatchlistBody({ name: '', contracts: ['x'], rules: [aRuleBody({ when: 'x' })] });

  const issues = WatchlistBody.safeParse(body).error?.issues ?? [];

  expect(issues.map(({ path }) => path.join('.'))).toEqual(['name', 'contracts.0', 'rules.0.when']);
});

it('names members that do not go together beside members that are wrong', () => {
  const { name: _name, ...nameless } = aWatchlistBody({
    contracts: [PUNKS, PUNKS],
    rules: [aRuleBody({ on: APES, when: 'x' }), aRuleBody({ threshold: 60 })],
    channels: [
      { ...email, id: 'a', to: 'x' },
      { ...email, id: 'a' },
    ],
  });

  const issues = WatchlistBody.safeParse(nameless).error?.issues ?? [];

  expect(issues.map(({ path }) => path.join('.')).toSorted()).toEqual([
    'channels.0.to',
    'channels.1.id',
    'contracts.1',
    'name',
    'rules.0.on',
    'rules.0.when',
    'rules.1.id',
    'rules.1.threshold',
  ]);
});

it.each<[what: string, given: object, at: readonly string[]]>([
  ['where a contract cannot be read', { contracts: ['eth:0x12'] }, ['contracts.0']],
  ['where no contract can be read', { contracts: 7 }, ['contracts']],
  ['where it cannot be read itself', { rules: [aRuleBody({ on: 7 })] }, ['rules.0.on']],
])('does not say that a rule is about no contract of the list %s', (_what, given, at) => {
  const body = aWatchlistBody({ rules: [aRuleBody({ on: APES })], ...given });

  const issues = WatchlistBody.safeParse(body).error?.issues ?? [];

  expect(issues.map(({ path }) => path.join('.'))).toEqual(at);
});

it('gives ids to rules that have none, and never one that is taken', () => {
  const { id: _id, ...nameless } = aRuleBody();

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

/** Generation of each rule on each member: what the ids of its alerts begin with. */
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
    edit: 'a member more',
    change: { contracts: [PUNKS, APES, contract(1)] },
    after: [1, 1, 1, 1, 2, 2],
    touches: [contract(1)],
  },
  { edit: 'a member less', change: { contracts: [PUNKS] }, after: [1, 1], touches: [APES] },
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
    edit: 'all members for one',
    change: { rules: [aRuleBody({ on: APES })] },
    after: [2],
    touches: [PUNKS, APES],
  },
])('$edit changed: generations $after', ({ change, after, touches }) => {
  const list = aWatchlist(asBody(change), before);

  expect(list.revision).toBe(2);
  expect(generations(list)).toEqual(after);
  expect(affectedContracts(before, list)).toEqual(touches);
});

it('touches every contract of a new list', () => {
  expect(affectedContracts(undefined, before)).toEqual([PUNKS, APES]);
});

it('begins a new generation with a member and a rule that come back', () => {
  const without = aWatchlist(asBody({ contracts: [PUNKS], rules: [] }), before);

  const again = aWatchlist(asBody(), without);

  expect(again.members.map(({ joined }) => joined)).toEqual([1, 3]);
  expect(again.rules.map(({ since }) => since)).toEqual([3, 3]);
});

it('goes on with the revisions of a tombstone, and with nothing else of it', () => {
  const tombstone = entomb(before);

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

it('asks no rule about a contract that is no member', () => {
  expect(rulesOn(before, contract(9))).toEqual([]);
});
