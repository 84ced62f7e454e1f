import { expect, it } from 'vitest';
import { CHAINS } from '#shared/domain/market/chains.ts';
import {
  ContractKey,
  contractKey,
  contractOf,
  TraitFilter,
  wholeCollection,
  withTraits,
} from '#shared/domain/market/contract.ts';
import { PUNKS } from '#test/support/builders.ts';

const ADDRESS = PUNKS.slice('eth:'.length);

it.each([
  { written: PUNKS, key: PUNKS },
  { written: `ETH:${ADDRESS}`, key: PUNKS },
  { written: `0x1:${ADDRESS}`, key: PUNKS },
  { written: `eth:0x${ADDRESS.slice(2).toUpperCase()}`, key: PUNKS },
  { written: `polygon amoy:${ADDRESS}`, key: `polygon-amoy:${ADDRESS}` },
  { written: `0x13882:${ADDRESS}`, key: `polygon-amoy:${ADDRESS}` },
])('reads the contract key $written as $key', ({ written, key }) => {
  expect(ContractKey.parse(written)).toBe(key);
});

it.each([
  { written: '', expected: 'known chain' },
  { written: ADDRESS, expected: `with a known chain; did you mean "${PUNKS}"?` },
  { written: `Ethereum:${ADDRESS}`, expected: `did you mean "${PUNKS}"?` },
  { written: `matic:${ADDRESS}`, expected: `did you mean "polygon:${ADDRESS}"?` },
  { written: `constructor:${ADDRESS}`, expected: 'for example eth:0xb47e…' },
  { written: `solana:${ADDRESS}`, expected: 'for example eth:0xb47e…' },
  { written: `eth:${ADDRESS}0`, expected: '40 hex digits' },
  { written: `eth:${ADDRESS.slice(0, -1)}`, expected: '40 hex digits' },
  { written: `eth:${ADDRESS.slice(2)}`, expected: '40 hex digits' },
  { written: `eth: ${ADDRESS}`, expected: '40 hex digits' },
  { written: `${PUNKS}\n`, expected: '40 hex digits' },
  { written: `${PUNKS}%3FFur%zz`, expected: '40 hex digits' },
])('rejects the contract key "$written", expecting $expected', ({ written, expected }) => {
  const [issue] = ContractKey.safeParse(written).error?.issues ?? [];

  expect(issue?.message).toContain(expected);
});

it.each(CHAINS)('parses the chain and address of a key on $name', (chain) => {
  const contract = { chain, address: contractOf(PUNKS).address };

  const key = contractKey(contract);

  expect(contractOf(key)).toEqual(contract);
  expect(key).toBe(ContractKey.parse(key));
});

it.each([
  { written: `${PUNKS}?Fur=Solid Gold`, key: `${PUNKS}?Fur=Solid+Gold` },
  {
    written: `ETH:${ADDRESS}?Fur=Solid+Gold&Eyes=Laser`,
    key: `${PUNKS}?Eyes=Laser&Fur=Solid+Gold`,
  },
  { written: `${PUNKS}%3FFur%3DSolid%2BGold`, key: `${PUNKS}?Fur=Solid+Gold` },
  { written: `${PUNKS}?Hat=%23%2F%3F`, key: `${PUNKS}?Hat=%23%2F%3F` },
])('reads $written as the tokens of a contract with these traits', ({ written, key }) => {
  expect(ContractKey.parse(written)).toBe(key);
  expect(ContractKey.parse(key)).toBe(key);
  expect(contractKey(contractOf(key as ContractKey))).toBe(key);
  expect(wholeCollection(key as ContractKey)).toBe(PUNKS);
});

it.each([
  ['no trait', ''],
  ['a trait without a value', 'Fur='],
  ['four traits', 'A=1&B=2&C=3&D=4'],
  ['traits that are too long for a key', `A=${'ö'.repeat(20)}&B=${'ö'.repeat(20)}`],
])('rejects a contract key with %s', (_what, query) => {
  const [issue] = ContractKey.safeParse(`${PUNKS}?${query}`).error?.issues ?? [];

  expect(issue?.message).toContain('for example eth:0x');
});

it('gives tokens with certain traits a key that does not depend on the order of the traits', () => {
  const [one, other] = [
    { Fur: 'Gold', Eyes: 'Laser' },
    { Eyes: 'Laser', Fur: 'Gold' },
  ];

  expect(withTraits(PUNKS, one)).toBe(withTraits(PUNKS, other));
});

it('accepts a trait with the name of a built-in object property', () => {
  const written = JSON.parse('{"__proto__": "Laser", "constructor": "Gold"}');

  const traits = TraitFilter.parse(written);

  expect(Object.entries(traits)).toEqual(Object.entries(written));
  expect(withTraits(PUNKS, traits)).toBe(`${PUNKS}?__proto__=Laser&constructor=Gold`);
  expect(ContractKey.parse(`${PUNKS}?__proto__=Laser`)).toBe(`${PUNKS}?__proto__=Laser`);
});

it.each([
  { written: {}, message: 'expected at least one trait', path: [] },
  { written: { A: '1', B: '2', C: '3', D: '4' }, message: 'expected at most 3 traits', path: [] },
  { written: { Fur: 7 }, message: 'a value of 1 to 64 characters', path: ['Fur'] },
  { written: { Fur: ' ' }, message: 'a value of 1 to 64 characters', path: ['Fur'] },
  { written: { ' ': 'Gold' }, message: 'a value of 1 to 64 characters', path: [' '] },
  { written: ['Fur'], message: 'expected an object of trait names and values', path: [] },
])('rejects the traits $written', ({ written, message, path }) => {
  const { error } = TraitFilter.safeParse(written);

  expect(error?.issues).toMatchObject([{ message: expect.stringContaining(message), path }]);
});
