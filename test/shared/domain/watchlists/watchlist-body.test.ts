import { expect, it } from 'vitest';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { omit } from '#shared/domain/omit.ts';
import { WatchlistBody, WatchlistRequest } from '#shared/domain/watchlists/watchlist-body.ts';
import { APES, aRuleBody, aWatchlistBody, PUNKS } from '#test/support/builders.ts';

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
  ['rules.0.metric', 'flow has no floor price', { contracts: [ON_FLOW] }],
  [
    'rules.0.metric',
    'flow has no best offer',
    { contracts: [ON_FLOW], rules: [aRuleBody({ metric: 'best_offer' })] },
  ],
  ['rules.0.metric', 'flow has no floor', { contracts: [PUNKS, ON_FLOW] }],
  [
    'rules.0.metric',
    'of traits only floors are known',
    {
      contracts: [{ contract: PUNKS, traits: { Fur: 'Gold' } }],
      rules: [aRuleBody({ metric: 'lowest_price.1d' })],
    },
  ],
  [
    'rules.0.metric',
    'of traits only floors are known',
    {
      contracts: [{ contract: PUNKS, traits: { Fur: 'Gold' } }],
      rules: [aRuleBody({ metric: 'spread_pct' })],
    },
  ],
  [
    'rules.0.minSources',
    'floors of traits have one source',
    {
      contracts: [PUNKS, { contract: PUNKS, traits: { Fur: 'Gold' } }],
      rules: [aRuleBody({ minSources: 2 })],
    },
  ],
  [
    'contracts.0.traits',
    'shorter traits',
    { contracts: [{ contract: PUNKS, traits: { Fur: 'ö'.repeat(40) } }] },
  ],
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
  const nameless = omit(
    aWatchlistBody({
      contracts: [PUNKS, PUNKS],
      rules: [aRuleBody({ on: APES, when: 'x' }), aRuleBody({ threshold: 60 })],
      channels: [
        { ...email, id: 'a', to: 'x' },
        { ...email, id: 'a' },
      ],
    }),
    'name',
  );

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

it('takes tokens with some traits beside the whole collection', () => {
  const gold = { contract: PUNKS, traits: { Fur: 'Solid Gold' }, name: 'Gold' };

  expect(WatchlistBody.parse({ name: 'Punks', contracts: [PUNKS, gold] }).contracts).toEqual([
    { contract: PUNKS },
    { contract: `${PUNKS}?Fur=Solid+Gold`, name: 'Gold' },
  ]);
});

it.each([`${PUNKS}?Fur=`, `${PUNKS}%3FFur%zz`])(
  'takes no key with wrong traits for a name: %s',
  (key) => {
    const { error } = WatchlistRequest.safeParse({ name: 'Punks', contracts: [key] });

    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['contracts.0']);
  },
);
