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
const GOLD = { contract: PUNKS, traits: { Fur: 'Gold' } };
const RATIO = `${PUNKS}~${APES}`;
const COMPARED = [PUNKS, APES, { contract: PUNKS, of: APES }];
const HELD = { contract: PUNKS, amount: 2 };
const OF_VALUE = { metric: 'list_value', when: 'below', threshold: '100' };
const VALUE = `${PUNKS}@${'a1'.repeat(12)}`;
const OF_RATIO = { on: RATIO, metric: 'floor_ratio' };

it('accepts a watchlist with only a name', () => {
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
  ['rules.0.metric', 'the floor price is not reported on flow', { contracts: [ON_FLOW] }],
  [
    'rules.0.metric',
    'the best offer is not reported on flow',
    { contracts: [ON_FLOW], rules: [aRuleBody({ metric: 'best_offer' })] },
  ],
  ['rules.0.metric', 'the floor price is not reported on flow', { contracts: [PUNKS, ON_FLOW] }],
  [
    'rules.0.metric',
    'with "traits" only floors are reported',
    {
      contracts: [{ contract: PUNKS, traits: { Fur: 'Gold' } }],
      rules: [aRuleBody({ metric: 'lowest_price.1d' })],
    },
  ],
  [
    'rules.0.metric',
    'with "traits" only floors are reported',
    {
      contracts: [{ contract: PUNKS, traits: { Fur: 'Gold' } }],
      rules: [aRuleBody({ metric: 'spread_pct' })],
    },
  ],
  [
    'contracts.1.of',
    'other contracts without traits',
    { contracts: [APES, { contract: PUNKS, of: PUNKS }] },
  ],
  ['contracts.0.of', 'other contracts without traits', { contracts: [{ ...GOLD, of: APES }] }],
  [
    'contracts.1',
    'members of the list',
    { contracts: [PUNKS, { contract: PUNKS, of: APES }], rules: [] },
  ],
  [
    'contracts.2.amount',
    'a ratio has no tokens',
    { contracts: [PUNKS, APES, { contract: PUNKS, of: APES, amount: 2 }], rules: [] },
  ],
  ['rules.0.metric', 'a member with "of" supports only floor_ratio', { contracts: COMPARED }],
  [
    'rules.0.metric',
    ' applies only to members with "of"',
    { contracts: [PUNKS], rules: [aRuleBody({ metric: 'floor_ratio' })] },
  ],
  [
    'rules.0.unit',
    'expected no unit',
    { contracts: COMPARED, rules: [aRuleBody({ ...OF_RATIO, unit: 'eth' })] },
  ],
  [
    'rules.0.outliers',
    'a metric based on the floor',
    { contracts: COMPARED, rules: [aRuleBody({ ...OF_RATIO, outliers: 'take' })] },
  ],
  [
    'rules.0.noData',
    'a rule for the floors from which it is computed',
    { contracts: COMPARED, rules: [aRuleBody({ ...OF_RATIO, noData: { alert: '6h' } })] },
  ],
  [
    'rules.0.on',
    'list_value applies to the whole list',
    { contracts: [HELD], rules: [aRuleBody({ on: PUNKS, metric: 'list_value' })] },
  ],
  [
    'rules.0.all',
    'floor_price applies to single contracts',
    { contracts: [HELD], rules: [{ all: [OF_VALUE, { ...OF_VALUE, metric: 'floor_price' }] }] },
  ],
  [
    'rules.0.noData',
    'a rule for the floors from which it is computed',
    { contracts: [HELD], rules: [{ ...OF_VALUE, noData: { alert: '6h' } }] },
  ],
  ['contracts.0', 'the value of the list cannot be a member', { contracts: [VALUE], rules: [] }],
  [
    'rules.0.minSources',
    'floors of traits have only one source',
    {
      contracts: [PUNKS, { contract: PUNKS, traits: { Fur: 'Gold' } }],
      rules: [aRuleBody({ minSources: 2 })],
    },
  ],
  [
    'contracts.0.traits',
    'traits of at most 200 characters',
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
])('rejects a watchlist at %s, expecting %s', (at, expected, given) => {
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
    what: 'a floor rule on one contract, next to a contract on flow',
    given: { contracts: [PUNKS, ON_FLOW], rules: [aRuleBody({ on: PUNKS })] },
  },
  {
    what: '500 contracts with 20 rules',
    given: {
      contracts: many(500, contract),
      rules: many(20, (index) => aRuleBody({ id: `r${index}` })),
    },
  },
])('accepts a watchlist with $what', ({ given }) => {
  expect(WatchlistBody.safeParse(aWatchlistBody(given)).success).toBe(true);
});

it('names each invalid member of a watchlist', () => {
  const body = aWatchlistBody({ name: '', contracts: ['x'], rules: [aRuleBody({ when: 'x' })] });

  const issues = WatchlistBody.safeParse(body).error?.issues ?? [];

  expect(issues.map(({ path }) => path.join('.'))).toEqual(['name', 'contracts.0', 'rules.0.when']);
});

it('reports conflicting members of a watchlist together with invalid members', () => {
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
  ['if a contract is invalid', { contracts: ['eth:0x12'] }, ['contracts.0']],
  ['if the contracts are invalid', { contracts: 7 }, ['contracts']],
  ['if the rule is invalid', { rules: [aRuleBody({ on: 7 })] }, ['rules.0.on']],
])("does not report a rule's contract as missing %s", (_what, given, at) => {
  const body = aWatchlistBody({ rules: [aRuleBody({ on: APES })], ...given });

  const issues = WatchlistBody.safeParse(body).error?.issues ?? [];

  expect(issues.map(({ path }) => path.join('.'))).toEqual(at);
});

it('accepts a collection and a trait filter of the same collection in one list', () => {
  const gold = { contract: PUNKS, traits: { Fur: 'Solid Gold' }, name: 'Gold' };

  expect(WatchlistBody.parse({ name: 'Punks', contracts: [PUNKS, gold] }).contracts).toEqual([
    { contract: PUNKS },
    { contract: `${PUNKS}?Fur=Solid+Gold`, name: 'Gold' },
  ]);
});

it.each([`${PUNKS}?Fur=`, `${PUNKS}%3FFur%zz`])(
  'does not read a contract key with invalid traits as a name: %s',
  (key) => {
    const { error } = WatchlistRequest.safeParse({ name: 'Punks', contracts: [key] });

    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['contracts.0']);
  },
);

it.each<[what: string, written: unknown]>([
  ['one contract', { contract: PUNKS, of: APES }],
  ['several', { contract: PUNKS, of: [APES] }],
  ['the key of the ratio', RATIO],
])('accepts a ratio of contracts, written as %s', (_what, written) => {
  const rules = [aRuleBody(OF_RATIO)];
  const body = aWatchlistBody({ contracts: [PUNKS, APES, written], rules });

  const { contracts } = WatchlistRequest.parse(body);

  expect(contracts.at(-1)).toEqual({ contract: RATIO });
});
