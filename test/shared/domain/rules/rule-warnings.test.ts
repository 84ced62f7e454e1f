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
