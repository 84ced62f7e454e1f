import { expect, it } from 'vitest';
import { shortAmount } from '#console/words/amounts.ts';
import { ruleName } from '#console/words/rule-name.ts';

it.each([
  ['0.792682926829268292', 'eth', '0.7926 ETH'],
  ['32.512345678901', 'eth', '32.512 ETH'],
  ['893.125', 'eth', '893.12 ETH'],
  ['1024.9334', 'eth', '1,024.9 ETH'],
  ['28419.433', 'eth', '28,419 ETH'],
  ['1234567.5', 'usdc', '1,234,567 USDC'],
  ['0.000012', 'eth', '0.000012 ETH'],
  ['0', 'eth', '0 ETH'],
  ['1', 'sales', '1 sale'],
  ['5123', 'owners', '5,123 owners'],
])('the short amount of %s %s is %s', (value, unit, words) => {
  expect(shortAmount(value, unit)).toBe(words);
});

it.each([
  { metric: 'sales.7d', unit: 'sales', name: 'sales in 7d above 2 sales' },
  { metric: 'volume.1d', unit: 'eth', name: 'volume in 1d above 2 ETH' },
])('a rule on $metric without a label is called: $name', ({ name, ...rule }) => {
  expect(ruleName({ ...rule, when: 'above', threshold: '2' })).toBe(name);
});
