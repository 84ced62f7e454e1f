import { describe, expect, it } from 'vitest';
import { missingFor, type RuleWords } from '#shared/domain/alerting/alert-words.ts';
import type { Metric } from '#shared/domain/metrics/metric.ts';
import { amountInWords, dollarsInShort, valueInWords } from '#shared/domain/metrics/value-text.ts';
import { conditionOf, conditionText, recoveryText } from '#shared/domain/rules/clause.ts';
import { anAlertInWords, eth, linesSaid, NOON } from '#test/support/builders.ts';

const METRIC: Metric = 'floor_price';
type Given = Parameters<typeof anAlertInWords>[0];
const titleOf = (given: Given, words: Partial<RuleWords> = {}) =>
  anAlertInWords(given, words).title;

it('puts the news into the title of a fired alert and the explanation into its facts', () => {
  const details = [{ name: 'In dollars', value: '$181,000.12, −2.2%' }];

  expect(linesSaid(anAlertInWords({}, { label: 'Cheap punks', details }))).toEqual([
    'Cheap punks, CryptoPunks: 59.9 ETH ($181k, −2.2%)',
    'Condition: floor price at or below 60 ETH',
    'Was: 61.25 ETH',
    'In dollars: $181,000.12, −2.2%',
    'Distance: 0.1 ETH (0.1%) below 60 ETH',
    'Source: OpenSea',
  ]);
});

it('shows the duration, the extreme and a late evaluation of a recovered alert', () => {
  const recovered = anAlertInWords(
    {
      ...{ kind: 'recovered', open: false, name: null, metric: 'lowest_price.1d' },
      ...{ value: null, usd: null, previous: '59.9', source: null },
      ...{ duration: '36h', extreme: '41.5', late: true },
    },
    { since: NOON, recover: 'above 60 ETH' },
  );

  expect(linesSaid(recovered)).toEqual([
    'Resolved: eth:0xb47e3c…3bbb lowest sale in 1 day below 60 ETH: no recent sale, lasted 1 d 12 h',
    'Condition: floor price at or below 60 ETH',
    'Was: 59.9 ETH',
    'Since: 2026-11-21 12:00 UTC',
    'Lowest: 41.5 ETH',
    'Late: evaluated only after an outage',
  ]);
});

it.each([
  { label: 'Cheap punks', expected: 'Expired: Cheap punks' },
  { label: undefined, expected: 'Expired: rule "floor-60" of watchlist "punks"' },
])('titles the alert of an expired rule: $expected', ({ label, expected }) => {
  const alert = { kind: 'expired', contract: null, name: null, value: null } as const;

  expect(linesSaid(anAlertInWords(alert, { label }))).toEqual([
    expected,
    'Condition: floor price at or below 60 ETH',
    'Next: The rule has expired. Set a later "expiresAt" to resume it.',
  ]);
});

describe('the title of an alert', () => {
  it.each([
    ['Apes panic line', 'Apes', 'Apes panic line: 59.9 ETH'],
    ['apes PANIC', 'Apes', 'apes PANIC: 59.9 ETH'],
    ['Panic line', 'Apes', 'Panic line, Apes: 59.9 ETH'],
    ['Grapes line', 'Apes', 'Grapes line, Apes: 59.9 ETH'],
    ['🦍', '🐧', '🦍, 🐧: 59.9 ETH'],
    ['All of Cool-Cats now', 'Cool Cats', 'All of Cool-Cats now: 59.9 ETH'],
    ['Panic line', null, 'Panic line, eth:0xb47e3c…3bbb: 59.9 ETH'],
    [undefined, 'Apes', 'Apes below 60 ETH: 59.9 ETH'],
    [undefined, null, 'eth:0xb47e3c…3bbb below 60 ETH: 59.9 ETH'],
  ])(
    'begins the title with the label (%s) and names the collection (%s) once',
    (label, name, expected) => {
      expect(titleOf({ name, usd: null, previous: null }, { label })).toBe(expected);
    },
  );

  it('counts the further conditions of a rule in the title', () => {
    const conditions = ['floor price at or below 60 ETH', 'a', 'b'];

    expect(titleOf({}, { conditions })).toMatch(
      /^CryptoPunks below 60 ETH and 2 more conditions: 59.9 ETH/,
    );
  });

  const usd = { metric: 'floor_price_usd', unit: 'usd', value: '199999.999', threshold: '200000' };
  const line = { threshold: '60' };
  const band = { low: '50', high: '120' };
  const over = { open: false, duration: '31m' } as const;

  it.each([
    [{}, { when: 'below', ...line }, 'CryptoPunks below 60 ETH: 59.9 ETH'],
    [{ value: '61' }, { when: 'above', ...line }, 'CryptoPunks above 60 ETH: 61 ETH'],
    [usd, { when: 'below', threshold: '200000' }, 'CryptoPunks below $200,000.00: $199,999.99'],
    [
      { metric: 'lowest_price.30d' },
      { when: 'below', ...line },
      'CryptoPunks lowest sale in 30 days below 60 ETH: 59.9 ETH',
    ],
    [{ value: '49' }, { when: 'outside', ...band }, 'CryptoPunks outside 50 to 120 ETH: 49 ETH'],
    [{}, { when: 'inside', ...band }, 'CryptoPunks inside 50 to 120 ETH: 59.9 ETH'],
    [{}, { when: 'crosses', ...line }, 'CryptoPunks fell below 60 ETH: 59.9 ETH'],
    [{ value: '61' }, { when: 'crosses', ...line }, 'CryptoPunks rose above 60 ETH: 61 ETH'],
    [
      { kind: 'worsened' },
      { when: 'below', ...line },
      'Worsened: CryptoPunks below 60 ETH: 59.9 ETH',
    ],
    [
      { kind: 'reminder', duration: '1193s' },
      { when: 'below', ...line },
      'Reminder: CryptoPunks below 60 ETH: now 59.9 ETH, 19 min 53 s so far',
    ],
    [
      { kind: 'recovered', value: '61', ...over },
      { when: 'below', ...line },
      'Resolved: CryptoPunks below 60 ETH: now 61 ETH, lasted 31 min',
    ],
  ] as const)(
    'writes the title of the alert %j with the condition %j in one line',
    (given, rule, expected) => {
      const unit = 'unit' in given ? given.unit : 'eth';
      const condition = conditionOf({ ...rule, metric: METRIC });
      const alert = { usd: null, previous: null, ...given, when: rule.when };

      expect(titleOf(alert, { condition: conditionText(condition, METRIC, unit) })).toBe(expected);
    },
  );

  it('shows the direction of a crossing in the title of a labelled rule', () => {
    const crossed = { when: 'crosses', value: '61' } as const;

    expect(titleOf(crossed, { label: 'Punks line' })).toBe(
      'Punks line, CryptoPunks: rose above 60 ETH, at 61 ETH ($181k, −0.4%)',
    );
  });

  it('marks a value between threshold and recovery threshold as not yet recovered', () => {
    const reminder = { kind: 'reminder', value: '61', usd: null, previous: null } as const;

    expect(titleOf(reminder, { isBetween: true })).toBe(
      'Reminder: CryptoPunks below 60 ETH: now 61 ETH, not yet recovered',
    );
  });

  it.each(['changed', 'paused', 'removed', 'expired'] as const)(
    'gives the reason for a closed episode in the title: %s',
    (closing) => {
      const title = titleOf({ kind: 'closed', value: null, open: false }, { closing });

      expect(title).toMatch(/^Closed: CryptoPunks below 60 ETH \(its rule /);
    },
  );
});

describe('the recovery condition in words', () => {
  it.each([
    [{ when: 'below', threshold: '60' }, 'above 60 ETH'],
    [{ when: 'below', threshold: '60', recover: '70' }, 'at or above 70 ETH'],
    [{ when: 'above', threshold: '60' }, 'below 60 ETH'],
    [{ when: 'outside', low: '50', high: '120' }, 'inside 50 to 120 ETH'],
    [{ when: 'inside', low: '50', high: '120' }, 'outside 50 to 120 ETH'],
  ] as const)('words the recovery condition of %j as %s', (rule, expected) => {
    const recover = recoveryText(conditionOf({ ...rule, metric: METRIC }), METRIC, 'eth');
    const { facts } = anAlertInWords({ kind: 'recovered', open: false }, { recover });

    expect(facts).toContainEqual({ name: 'Recovered', value: expected });
  });

  it('shows no recovery condition if the value is missing', () => {
    const gone = { kind: 'recovered', open: false, value: null } as const;

    expect(linesSaid(anAlertInWords(gone, { recover: 'above 60 ETH' })).join()).not.toContain(
      'Recovered',
    );
  });
});

it('words a crossing condition, which has no recovery', () => {
  const crosses = { when: 'crosses', threshold: eth('60') } as const;

  expect([conditionText(crosses, METRIC, 'eth'), recoveryText(crosses, METRIC, 'eth')]).toEqual([
    'crosses 60 ETH',
    undefined,
  ]);
});

it.each([
  { value: '1234567.899', unit: 'usd', expected: '$1,234,567.89' },
  { value: '130338.51', unit: 'usd', expected: '$130,338.51' },
  { value: '999', unit: 'usd', expected: '$999.00' },
  { value: '0.5', unit: 'usd', expected: '$0.50' },
  { value: '0.00123', unit: 'usd', expected: '$0.00123' },
  { value: '59.9', unit: 'eth', expected: '59.9 ETH' },
  { value: '-30', unit: '%', expected: '−30%' },
  { value: '360', unit: 'minutes', expected: '6 h' },
  { value: '1501.016666666666666666', unit: 'minutes', expected: '1 d 1 h' },
])('formats the value $value with the unit $unit as $expected', ({ value, unit, expected }) => {
  expect(amountInWords(value, unit)).toBe(expected);
});

it.each([
  ['0.00123', '$0.00123'],
  ['747.859', '$747.85'],
  ['1000', '$1k'],
  ['36199.99', '$36.1k'],
  ['181000.1299', '$181k'],
  ['999999.99', '$999k'],
  ['1250000', '$1.25M'],
  ['1009000', '$1M'],
  ['12345678901234', '$12345B'],
])('shortens %s dollars to %s in a title', (usd, expected) => {
  expect(dollarsInShort(usd)).toBe(expected);
});

it.each([
  ['0.651', '+0.65%'],
  ['-22.314049586776859504', '−22.31%'],
  ['-0.651', '−0.65%'],
  ['0.001', '0%'],
  ['-0.001', '0%'],
  ['0', '0%'],
  ['12', '+12%'],
])('shows a change of %s as %s with a sign, and a drawdown without one', (value, expected) => {
  expect(valueInWords('floor_change_pct.6h', value, '%')).toBe(expected);
  expect(valueInWords('floor_drawdown_pct.6h', '0.65', '%')).toBe('0.65%');
});

describe('a threshold in words', () => {
  it.each([
    ['floor_change_pct.6h', '%', '0.004', 'at or below +0.004%'],
    ['floor_change_pct.6h', '%', '-5.125', 'at or below −5.125%'],
    ['floor_price_usd', 'usd', '1.009', 'at or below $1.009'],
    ['floor_price_usd', 'usd', '200000', 'at or below $200,000.00'],
    ['data_age_minutes', 'minutes', '1501', 'at or below 1 d 1 h 1 min'],
    ['data_age_minutes', 'minutes', '0.004', 'at or below 0.004 min'],
  ] as const)(
    'shows every digit of a threshold of %s in %s: %s',
    (metric, unit, threshold, expected) => {
      const condition = { when: 'below', threshold: eth(threshold) } as const;

      expect(conditionText(condition, metric, unit)).toBe(expected);
    },
  );

  it('shows every digit of a threshold in the title of a crossing and in the distance', () => {
    const change = { metric: 'floor_change_pct.6h', unit: '%', when: 'crosses' } as const;
    const alert = anAlertInWords({ ...change, value: '0.0041', threshold: '0.004' });

    expect(alert.title).toBe('CryptoPunks floor price change in 6h rose above +0.004%: +0.0041%');
    expect(alert.facts).toContainEqual({
      name: 'Distance',
      value: '0.0001 percentage points above +0.004%',
    });
  });

  it('rounds no threshold of missing data, and no age that would then be below the threshold', () => {
    const minutes = { metric: 'data_age_minutes', unit: 'minutes', previous: null };
    const alert = { kind: 'stale', ...minutes, threshold: '1501', value: '1501.5' } as const;

    expect(titleOf(alert, { missing: missingFor('data_age_minutes', '1501') })).toBe(
      'CryptoPunks: no new floor price for 1 d 1 h 1 min 30 s',
    );
    expect(missingFor('data_age_minutes', '600.0000166666', '600')).toBe(
      'no new floor price for 10 h',
    );
    expect(missingFor('data_age_minutes', '1501')).toBe('no new floor price for 1 d 1 h 1 min');
  });
});

describe('the rounding of a value near its threshold', () => {
  const share = { metric: 'floor_drawdown_pct.6h', unit: '%' } as const;
  const usd = { metric: 'floor_price_usd', unit: 'usd' } as const;

  it.each([
    [{ ...share, value: '4.999', threshold: '5' }, '4.99%'],
    [{ ...share, value: '5.0001', threshold: '5' }, '5.0001%'],
    [{ ...share, value: '5', threshold: '5' }, '5%'],
    [{ ...share, value: '0.0045', threshold: '0.004' }, '0.0045%'],
    [{ ...share, value: '7.129', threshold: '5' }, '7.12%'],
    [{ ...usd, value: '1.0095', threshold: '1.009' }, '$1.0095'],
    [{ ...usd, value: '1.0085', threshold: '1.009' }, '$1.00'],
    [{ ...usd, value: '200000.001', threshold: '200000' }, '$200,000.001'],
  ])('never rounds a value across its threshold: %j becomes %s', (given, expected) => {
    const alert = anAlertInWords({ ...given, usd: null, previous: given.value });

    expect(alert.title).toContain(`: ${expected}`);
    expect(alert.facts).toContainEqual({ name: 'Was', value: expected });
  });

  it('never rounds a recovered value across the recovery threshold', () => {
    const back = { ...share, kind: 'recovered', open: false } as const;
    const given = { ...back, value: '3.0049', threshold: '5' };

    expect(titleOf(given, { recoverAt: '3.005' })).toMatch(/: now 3%$/);
    expect(titleOf({ ...given, when: 'below' }, { recoverAt: '3.004' })).toMatch(/: now 3\.0049%$/);
  });
});

it.each([
  { value: '59.9', previous: '61.25', expected: '−2.2%' },
  { value: '61.25', previous: '59.9', expected: '+2.2%' },
  { value: '180', previous: '60', expected: '+200.0%' },
  { value: '59.99', previous: '60', expected: '0.0%' },
  { value: '60', previous: '60', expected: '0.0%' },
  {
    value: '0.000000000000000001',
    previous: '0.000000000000000003',
    expected: '−66.6%',
  },
])('an alert shows the change from $previous to $value as $expected', ({ expected, ...given }) => {
  const fired = anAlertInWords(given);
  const reminder = anAlertInWords({ ...given, kind: 'reminder' });

  // The change is shown once: in the title or in a fact.
  expect(fired.title).toContain(`, ${expected})`);
  expect(fired.facts.map(({ name }) => name)).not.toContain('Change');
  expect(reminder.title).not.toContain(expected);
  expect(reminder.facts).toContainEqual({ name: 'Change', value: expected });
});

it.each([
  { value: '0', previous: '3', title: '0 sales (−100.0%)' },
  { value: '3', previous: '0', title: '3 sales' },
  { value: '1', previous: '0', title: '1 sale' },
  { value: '0', previous: '0', title: '0 sales' },
])('shows a change from $previous to $value sales as: $title', ({ title, ...given }) => {
  const sales = { metric: 'sales.1d', unit: 'sales', threshold: '5', usd: null, ...given };

  expect(anAlertInWords(sales).title).toMatch(new RegExp(`: ${title.replaceAll(/[()+.]/g, '.')}$`));
  expect(() => anAlertInWords({ ...sales, kind: 'reminder' })).not.toThrow();
});

it('an alert shows no previous value if there is none, and no change of a percentage', () => {
  const share = { metric: 'floor_change_pct.6h', unit: '%', value: '-12', previous: '-2' };

  expect(linesSaid(anAlertInWords({ previous: null })).join('\n')).not.toMatch(/Was|Change/);
  expect(linesSaid(anAlertInWords(share)).join('\n')).not.toMatch(/Change:/);
});

it.each([
  [{ value: '59.9' }, '0.1 ETH (0.1%) below 60 ETH'],
  [{ value: '41', threshold: '1' }, '40 ETH above 1 ETH'],
  [{ value: '66' }, '6 ETH (10.0%) above 60 ETH'],
  [{ value: '60' }, 'at 60 ETH'],
  [{ value: '-12.5', threshold: '-10', unit: '%' }, '2.5 percentage points below −10%'],
  [{ value: '199999.5', threshold: '200000', unit: 'usd' }, '$0.50 (0.0%) below $200,000.00'],
])('shows the distance of %j from the threshold: %s', (given, expected) => {
  const metric = 'unit' in given && given.unit === '%' ? 'floor_change_pct.6h' : 'floor_price';
  const { facts } = anAlertInWords({ ...given, metric });

  expect(facts.find(({ name }) => name === 'Distance')?.value).toBe(expected);
});

it('shows the source of a sale as a transaction', () => {
  const { facts } = anAlertInWords({ metric: 'lowest_price.7d', source: '0xec72' });

  expect(facts).toContainEqual({ name: 'Source', value: 'transaction 0xec72' });
});

describe('alerts about missing data', () => {
  const missing = { missing: 'no new floor price for 1 min' };
  const minutes = { metric: 'data_age_minutes', unit: 'minutes', previous: null, value: '5' };

  it('shows the missing data as the condition of a no-data alert', () => {
    expect(linesSaid(anAlertInWords({ kind: 'stale', ...minutes }, missing)).slice(0, 2)).toEqual([
      'CryptoPunks: no new floor price for 5 min',
      'Condition: no new floor price for 1 min',
    ]);
  });

  it('shows how long a no-data alert was open, which is shorter than the gap itself', () => {
    const alert = { kind: 'fresh', ...minutes, duration: '4m', open: false } as const;

    expect(
      linesSaid(anAlertInWords(alert, { ...missing, label: 'Cheap punks' })).slice(0, 3),
    ).toEqual([
      'Resolved: Cheap punks, CryptoPunks: floor prices are back (newest: 5 min old)',
      'Condition: no new floor price for 1 min',
      'Alert was open for: 4 min',
    ]);
  });
});
