import { expect, it } from 'vitest';
import { CHAINS } from '#shared/domain/market/chains.ts';
import { ContractKey, contractKey, contractOf } from '#shared/domain/market/contract.ts';
import { PUNKS } from '#test/support/builders.ts';

const ADDRESS = PUNKS.slice('eth:'.length);

it.each([
  { written: PUNKS, key: PUNKS },
  { written: `ETH:${ADDRESS}`, key: PUNKS },
  { written: `0x1:${ADDRESS}`, key: PUNKS },
  { written: `eth:0x${ADDRESS.slice(2).toUpperCase()}`, key: PUNKS },
  { written: `polygon amoy:${ADDRESS}`, key: `polygon-amoy:${ADDRESS}` },
  { written: `0x13882:${ADDRESS}`, key: `polygon-amoy:${ADDRESS}` },
])('reads $written as $key', ({ written, key }) => {
  expect(ContractKey.parse(written)).toBe(key);
});

it.each([
  { written: '', expected: 'known chain' },
  { written: ADDRESS, expected: `with a known chain, did you mean "${PUNKS}"?` },
  { written: `Ethereum:${ADDRESS}`, expected: `did you mean "${PUNKS}"?` },
  { written: `matic:${ADDRESS}`, expected: `did you mean "polygon:${ADDRESS}"?` },
  { written: `solana:${ADDRESS}`, expected: 'for example eth:0xb47e…' },
  { written: `eth:${ADDRESS}0`, expected: '40 hex digits' },
  { written: `eth:${ADDRESS.slice(0, -1)}`, expected: '40 hex digits' },
  { written: `eth:${ADDRESS.slice(2)}`, expected: '40 hex digits' },
  { written: `eth: ${ADDRESS}`, expected: '40 hex digits' },
  { written: `${PUNKS}\n`, expected: '40 hex digits' },
])('refuses "$written", expecting $expected', ({ written, expected }) => {
  const [issue] = ContractKey.safeParse(written).error?.issues ?? [];

  expect(issue?.message).toContain(expected);
});

it.each(CHAINS)('reports chain and address of a key on $name', (chain) => {
  const contract = { chain, address: contractOf(PUNKS).address };

  const key = contractKey(contract);

  expect(contractOf(key)).toEqual(contract);
  expect(key).toBe(ContractKey.parse(key));
});
