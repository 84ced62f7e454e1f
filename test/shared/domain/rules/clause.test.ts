import { describe, expect, it } from 'vitest';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { conditionText, recoveryText, Threshold } from '#shared/domain/rules/clause.ts';
import { aRuleBody, eth } from '#test/support/builders.ts';

/** The issues of a rejected rule: each member with the expected value. */
const issuesOf = (rule: object): readonly string[] =>
  (AlertRule.safeParse(rule).error?.issues ?? []).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );
const issues = (given: object) => issuesOf(aRuleBody(given));

it.each<readonly [given: object, expected: string]>([
  [{ threshold: undefined }, 'threshold: expected a threshold for "below"'],
  [{ low: '1' }, 'low: expected no band for "below"'],
  [{ high: '1' }, 'high: expected no band for "below"'],
  [{ when: 'inside', low: '1', high: '2' }, 'threshold: expected "low" and "high" for "inside"'],
  [
    { when: 'outside', threshold: undefined, high: '2' },
    'low: expected the lower edge of the band for "outside"',
  ],
  [
    { when: 'outside', threshold: undefined, low: '2' },
    'high: expected the upper edge of the band for "outside"',
  ],
  [
    { when: 'inside', threshold: undefined, low: '2', high: '2' },
    'high: expected an upper edge above the lower one',
  ],
  [{ threshold: '0' }, 'threshold: expected a number above 0 for floor_price'],
  [
    { metric: 'floor_drawdown_pct.7d', when: 'above', threshold: '-5' },
    'threshold: expected a number above 0 and below 100 for floor_drawdown_pct.7d',
  ],
  [
    { metric: 'floor_drawdown_pct.7d', when: 'above', threshold: '100' },
    'threshold: expected a number above 0 and below 100 for floor_drawdown_pct.7d',
  ],
  [
    { metric: 'floor_change_pct.7d', threshold: '-100' },
    'threshold: expected a number above -100 for floor_change_pct.7d',
  ],
  [
    { metric: 'sale_discount_pct.7d', when: 'above', threshold: '120' },
    'threshold: expected a number below 100 for sale_discount_pct.7d',
  ],
  [
    { metric: 'data_age_minutes', when: 'above', threshold: '1000000000000' },
    'threshold: expected a number above 0 and below 525600 for data_age_minutes',
  ],
  [{ metric: 'data_age_minutes' }, 'when: expected "above" for data_age_minutes'],
  [
    { metric: 'lowest_price.7d', unit: 'usd' },
    'unit: expected no unit: lowest_price.7d is reported in eth',
  ],
  [
    { metric: 'data_age_minutes', when: 'above', unit: 'eth' },
    'unit: expected no unit: data_age_minutes is reported in minutes',
  ],
  [{ unit: 'usd' }, 'unit: expected a unit other than "usd"; for dollars use floor_price_usd'],
  [{ ignoreBelow: '1' }, 'ignoreBelow: allowed only with lowest_price and sale_discount_pct'],
  [
    { metric: 'lowest_price.7d', ignoreBelow: '60' },
    'ignoreBelow: expected a price below the threshold, 60',
  ],
  [
    {
      metric: 'lowest_price.7d',
      when: 'inside',
      threshold: undefined,
      low: '5',
      high: '9',
      ignoreBelow: '6',
    },
    'ignoreBelow: expected a price below the threshold, 5',
  ],
  [
    { metric: 'sale_discount_pct.7d', ignoreBelow: '-1' },
    'ignoreBelow: expected a price, or "0" so that no sale is ignored',
  ],
  [
    { unit: 'eht' },
    'unit: expected a currency: eth, pol, bnb, avax, ftm, palm, cro, xdai, chz, glmr, movr, dev, ' +
      'flow, usd, usdc, usdt, dai, ape, ash, gala, magic, mana, sand',
  ],
])('rejects the condition %j', (given, expected) => {
  expect(issues(given)).toEqual([expected]);
});

it.each<object>([
  { metric: 'floor_change_pct.24h', threshold: '-10' },
  { metric: 'floor_change_pct.24h', threshold: '-10', recover: '0' },
  { metric: 'floor_change_pct.24h', when: 'inside', threshold: undefined, low: '-1', high: '1' },
  { metric: 'sale_discount_pct.7d', when: 'above', threshold: '0' },
  { metric: 'floor_drawdown_pct.7d', when: 'above', threshold: '30', unit: 'usd' },
  { metric: 'lowest_price.7d', unit: 'WETH' },
  { metric: 'lowest_price.7d', ignoreBelow: '59.9' },
  { metric: 'lowest_price.7d', ignoreBelow: '0' },
  { metric: 'sale_discount_pct.7d', threshold: '20', when: 'above', ignoreBelow: '25' },
  { unit: 'usdc' },
])('accepts the condition %j', (given) => {
  expect(issues(given)).toEqual([]);
});

describe('joint conditions', () => {
  const clause = { metric: 'floor_price', when: 'below', threshold: '60' };
  const all = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...clause, threshold: `${60 + index}` }));

  it.each<readonly [rule: object, expected: readonly string[]]>([
    [{ all: all(2) }, []],
    [{ all: all(5), for: '1h', keepFor: '1h', arm: 'cross', repeat: 'once' }, []],
    [{ all: all(2), confirm: { times: 2, of: 3 }, noData: { alert: '6h' } }, []],
    [{ all: [...all(2), ...all(1)] }, ['all.2: expected each condition at most once']],
    [{ all: all(1) }, ['all: expected two to five conditions']],
    [{ all: all(6) }, ['all: expected two to five conditions']],
    [{ ...clause, all: all(2) }, ['metric', 'when', 'threshold'].map(besideAll)],
    [{ all: all(2), low: '1', high: '2', unit: 'eth' }, ['low', 'high', 'unit'].map(besideAll)],
    [{ all: all(2), recover: '70', steps: '5' }, ['recover', 'steps'].map(besideAll)],
    [
      { all: [...all(1), { ...clause, threshold: undefined }] },
      ['all.1.threshold: expected a threshold for "below"'],
    ],
    [
      { all: [...all(1), { metric: 'data_age_minutes', when: 'above', threshold: '60' }] },
      [
        'all.1.metric: expected a metric that depends only on market data: data_age_minutes cannot be combined with other conditions',
      ],
    ],
    [
      { all: [...all(1), { ...clause, threshold: '61', recover: '70' }] },
      ['all.1: Unrecognized key: "recover"'],
    ],
    [
      { all: all(2), for: '1h', confirm: { times: 1, of: 2 } },
      ['confirm: expected "for" or "confirm", not both'],
    ],
  ])('validates joint conditions %#: %j', (rule, expected) => {
    expect(issuesOf({ id: 'both', ...rule })).toEqual(expected);
  });

  it('rejects `crosses` in joint conditions', () => {
    const [issue] = issuesOf({ all: [clause, { ...clause, when: 'crosses' }] });

    expect(issue).toMatch(/^all\.1\.when: .*"below"\|"above"\|"outside"\|"inside"/);
  });
});

function besideAll(member: string): string {
  return `${member}: not allowed with "all"`;
}

it.each([
  [
    { when: 'below', threshold: eth('60') },
    'floor_price',
    'eth',
    'at or below 60 ETH',
    'above 60 ETH',
  ],
  [
    { when: 'above', threshold: eth('60'), recover: eth('50') },
    'floor_price',
    'eth',
    'at or above 60 ETH',
    'at or below 50 ETH',
  ],
  [
    { when: 'outside', low: eth('50000'), high: eth('120000') },
    'floor_price_usd',
    'usd',
    'outside $50,000.00 to $120,000.00',
    'inside $50,000.00 to $120,000.00',
  ],
  [
    { when: 'inside', low: eth('-1'), high: eth('2.5') },
    'floor_change_pct.6h',
    'usd',
    'inside −1% to +2.5%',
    'outside −1% to +2.5%',
  ],
  [{ when: 'crosses', threshold: eth('60') }, 'floor_price', 'eth', 'crosses 60 ETH', undefined],
  [
    { when: 'above', threshold: eth('90') },
    'data_age_minutes',
    'minutes',
    'at or above 1 h 30 min',
    'below 1 h 30 min',
  ],
] as const)(
  'words %o of %s in %s as "%s", and its recovery as "%s"',
  (condition, metric, unit, text, end) => {
    expect(conditionText(condition, metric, unit)).toBe(text);
    expect(recoveryText(condition, metric, unit)).toBe(end);
  },
);

it.each([
  ['1,5', '1.5'],
  ['1.5 ETH', '1.5'],
  ['10%', '10'],
  [' 5 ', '5'],
  ['.5', '0.5'],
  ['−2,25', '-2.25'],
  ['1,500', '9.5'],
  ['cheap', '9.5'],
  ['', '9.5'],
])('the error about the threshold "%s" names it, and the example %s', (text, example) => {
  const { error } = Threshold.safeParse(text);

  expect(error?.issues[0]?.message).toMatch(`for example "${example}"; found "${text}"`);
});
