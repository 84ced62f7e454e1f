import { expect, it } from 'vitest';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { warningsOn } from '#shared/domain/rules/rule-warnings.ts';

const rule = (metric: string, when: string, threshold: string) =>
  AlertRule.parse({ metric, when, threshold });

it('a change below a positive number is warned of, and the fall that it means is written out', () => {
  expect(warningsOn(rule('floor_change_pct.24h', 'below', '10'), true)).toEqual([
    'floor_change_pct.24h below "10" holds unless the floor has risen by more than 10 %; ' +
      'a fall of 10 % is below "-10", or floor_drop_pct.24h above "10"',
  ]);
});

it('so is a change above a negative number', () => {
  expect(warningsOn(rule('floor_change_pct.1h', 'above', '-2.5'), true)).toEqual([
    expect.stringContaining('a rise of 2.5 % is above "2.5"'),
  ]);
});

it.each([
  ['floor_change_pct.24h', 'below', '-10'],
  ['floor_change_pct.24h', 'above', '10'],
  ['floor_change_pct.24h', 'below', '0'],
  ['floor_drop_pct.24h', 'above', '10'],
  ['floor_price', 'below', '10'],
])('%s %s %s says what it means', (metric, when, threshold) => {
  expect(warningsOn(rule(metric, when, threshold), true)).toEqual([]);
});

it('warns of each of the conditions that must hold together', () => {
  const change = { metric: 'floor_change_pct.24h', when: 'below', threshold: '10' };
  const price = { metric: 'floor_price', when: 'below', threshold: '10' };

  expect(warningsOn(AlertRule.parse({ all: [price, change] }), true)).toHaveLength(1);
});

it('a rule that waits for a second source is warned of where the stack has one', () => {
  const waiting = { ...rule('floor_price', 'below', '10'), minSources: 2 } as const;

  expect(warningsOn(waiting, true)).toEqual([]);
  expect(warningsOn(waiting, false)).toEqual([
    'this stack has one source of floors: with "minSources" the rule can never fire',
  ]);
  expect(warningsOn(rule('floor_price', 'below', '10'), false)).toEqual([]);
});
