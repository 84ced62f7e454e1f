import { expect, it } from 'vitest';
import { measuredAmount, shortAmount } from '#console/words/amounts.ts';
import { collectionName } from '#console/words/collection-name.ts';
import { ruleName } from '#console/words/rule-name.ts';
import { APES, PUNKS } from '#test/support/builders.ts';

it.each([
  ['0.792682926829268292', 'eth', '0.7926 ETH'],
  ['32.512345678901', 'eth', '32.512 ETH'],
  ['893.125', 'eth', '893.12 ETH'],
  ['1024.9334', 'eth', '1,024.9 ETH'],
  ['28419.433', 'eth', '28,419 ETH'],
  ['1234567.5', 'usdc', '1,234,567 USDC'],
  ['0.000012', 'eth', '0.000012 ETH'],
  ['0.00053127456', 'eth', '0.0005312 ETH'],
  ['0', 'eth', '0 ETH'],
  ['1', 'sales', '1 sale'],
  ['5123', 'owners', '5,123 owners'],
])('the short amount of %s %s is %s', (value, unit, words) => {
  expect(shortAmount(value, unit)).toBe(words);
});

it.each([
  { metric: 'sales.7d', unit: 'sales', name: 'sales in 7d above 2 sales' },
  { metric: 'volume.1d', unit: 'eth', name: 'volume in 1d above 2 ETH' },
])('the name of a rule on $metric without a label is: $name', ({ name, ...rule }) => {
  expect(ruleName({ ...rule, when: 'above', threshold: '2' })).toBe(name);
});

it.each([
  ['0.531204081632653061', 'ratio', '0.5312'],
  ['12.531204081632653061', 'ratio', '12.531'],
  ['0.000531274561234567', 'ratio', '0.0005312'],
  ['2', 'ratio', '2'],
  ['12.345678901', 'eth', '12.345678901 ETH'],
])('the measured amount of %s %s is %s', (value, unit, words) => {
  expect(measuredAmount(value, unit)).toBe(words);
});

it('the name of a rule on a ratio has no unit', () => {
  const rule = { metric: 'floor_ratio', when: 'below', threshold: '0.5', unit: 'ratio' };

  expect(ruleName(rule)).toBe('floor ratio below 0.5');
});

const OTHER = `eth:0x${'ab'.repeat(20)}`;

it.each([
  { contract: PUNKS, name: undefined, called: PUNKS },
  { contract: PUNKS, name: 'Punks', called: 'Punks' },
  { contract: `${PUNKS}~${APES}`, name: 'Rivals', called: 'Rivals' },
  { contract: `${PUNKS}~${APES}`, name: null, called: 'CryptoPunks / Apes' },
  {
    contract: `${PUNKS}~${APES}~${OTHER}`,
    name: null,
    called: 'CryptoPunks / average of Apes, eth:0xabab…abab',
  },
])('a collection with the name $name and the contract $contract is called $called', (given) => {
  const members = [
    { contract: PUNKS, name: 'CryptoPunks' },
    { contract: APES, name: 'Apes' },
    { contract: OTHER },
  ];

  expect(collectionName(given, members)).toBe(given.called);
});
