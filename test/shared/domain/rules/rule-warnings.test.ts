import { expect, it } from 'vitest';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { warningsOn } from '#shared/domain/rules/rule-warnings.ts';

const rule = (metric: string, when: string, threshold: string) =>
  AlertRule.parse({ metric, when, threshold });

it('warns if a rule has a change "below" a positive number, and suggests the rule for a fall', () => {
  expect(warningsOn(rule('floor_change_pct.24h', 'below', '10'), true)).toEqual([
    'floor_change_pct.24h below "10" holds unless the floor has risen by more than 10%; ' +
      'for a fall of 10%, use below "-10", or floor_drop_pct.24h above "10"',
  ]);
});

it('warns if a rule has a change "above" a negative number, and suggests the rule for a rise', () => {
  expect(warningsOn(rule('floor_change_pct.1h', 'above', '-2.5'), true)).toEqual([
    expect.stringContaining('for a rise of 2.5%, use above "2.5"'),
  ]);
});

it('warns if a deviation is "below" a positive or "above" a negative number, and names the average', () => {
  expect(warningsOn(rule('floor_vs_average_pct.24h', 'below', '10'), true)).toEqual([
    'floor_vs_average_pct.24h below "10" holds unless the floor is more than 10% above its average; ' +
      'for a floor 10% below its average, use below "-10"',
  ]);
  expect(warningsOn(rule('floor_vs_average_pct.7d', 'above', '-5'), true)).toEqual([
    'floor_vs_average_pct.7d above "-5" holds unless the floor is more than 5% below its average; ' +
      'for a floor 5% above its average, use above "5"',
  ]);
});

it('warns if a drop is "above" a negative or "below" a positive number', () => {
  expect(warningsOn(rule('floor_drop_pct.24h', 'above', '-10'), true)).toEqual([
    'floor_drop_pct.24h above "-10" holds unless the floor has risen by more than 10%; ' +
      'for a fall of 10%, use above "10"',
  ]);
  expect(warningsOn(rule('floor_drop_pct.7d', 'below', '5'), true)).toEqual([
    'floor_drop_pct.7d below "5" holds unless the floor has fallen by more than 5%; ' +
      'for a rise of 5%, use below "-5"',
  ]);
});

it.each([
  ['floor_change_pct.24h', 'below', '-10'],
  ['floor_change_pct.24h', 'above', '10'],
  ['floor_change_pct.24h', 'below', '0'],
  ['floor_drop_pct.24h', 'above', '10'],
  ['floor_price', 'below', '10'],
])('does not warn if a rule has the condition %s %s %s', (metric, when, threshold) => {
  expect(warningsOn(rule(metric, when, threshold), true)).toEqual([]);
});

it('checks every joint condition for a warning', () => {
  const change = { metric: 'floor_change_pct.24h', when: 'below', threshold: '10' };
  const price = { metric: 'floor_price', when: 'below', threshold: '10' };

  expect(warningsOn(AlertRule.parse({ all: [price, change] }), true)).toHaveLength(1);
});

it('warns if a rule needs a second source but the stack has only one', () => {
  const waiting = { ...rule('floor_price', 'below', '10'), minSources: 2 } as const;

  expect(warningsOn(waiting, true)).toEqual([]);
  expect(warningsOn(waiting, false)).toEqual([
    'a rule with "minSources" never fires in this stack, which has only one source of floors; remove "minSources"',
  ]);
  expect(warningsOn(rule('floor_price', 'below', '10'), false)).toEqual([]);
});

const below = { when: 'below', threshold: '10' };
const above = { when: 'above', threshold: '20' };
const inside = { when: 'inside', low: '10', high: '12' };
const outside = { when: 'outside', low: '9', high: '13' };

it.each([
  ['both', [below, above]],
  ['both', [inside, outside]],
  ['both', [inside, above]],
  ['both', [inside, { ...inside, when: 'outside' }]],
  ['all', [{ when: 'above', threshold: '9' }, inside, { when: 'below', threshold: '9.5' }]],
])('warns if no value meets %s conditions on a metric', (count, conditions) => {
  const all = conditions.map((condition) => ({ metric: 'floor_price', ...condition }));

  expect(warningsOn(AlertRule.parse({ all }), true)).toEqual([
    `no floor_price meets ${count} conditions on it, so the rule never fires`,
  ]);
});

it.each([
  [
    'touch',
    [
      { metric: 'floor_price', ...below },
      { metric: 'floor_price', when: 'above', threshold: '10' },
    ],
  ],
  [
    'overlap',
    [
      { metric: 'floor_price', ...outside },
      { metric: 'floor_price', ...above },
    ],
  ],
  [
    'are on two metrics',
    [
      { metric: 'floor_price', ...below },
      { metric: 'floor_price_usd', ...above },
    ],
  ],
  [
    'are in two currencies',
    [
      { metric: 'floor_price', unit: 'eth', ...below },
      { metric: 'floor_price', unit: 'usdc', ...above },
    ],
  ],
])('does not warn if conditions %s', (_, all) => {
  expect(warningsOn(AlertRule.parse({ all }), true)).toEqual([]);
});
