import { expect, it } from 'vitest';
import { CHAINS, ChainParameter, findChain } from '#shared/domain/market/chains.ts';
import { OPERATION_NAMES } from '#shared/domain/market/operations.ts';

/** The chains in section 4.0 of the interface's specification. */
const SPEC = [
  ['eth', '0x1'],
  ['sepolia', '0xaa36a7'],
  ['holesky', '0x4268'],
  ['polygon', '0x89'],
  ['polygon amoy', '0x13882'],
  ['bsc', '0x38'],
  ['bsc testnet', '0x61'],
  ['avalanche', '0xa86a'],
  ['fantom', '0xfa'],
  ['palm', '0x2a15c308d'],
  ['cronos', '0x19'],
  ['arbitrum', '0xa4b1'],
  ['gnosis', '0x64'],
  ['gnosis testnet', '0x27d8'],
  ['chiliz', '0x15b38'],
  ['chiliz testnet', '0x15b32'],
  ['base', '0x2105'],
  ['base sepolia', '0x14a34'],
  ['optimism', '0xa'],
  ['linea', '0xe708'],
  ['linea sepolia', '0xe705'],
  ['moonbeam', '0x504'],
  ['moonriver', '0x505'],
  ['moonbase', '0x507'],
  ['flow', '0x2eb'],
  ['flow-testnet', '0x221'],
] as const;

it('lists exactly the 26 chains of the interface', () => {
  expect(CHAINS.map(({ name, hex }) => [name, hex])).toEqual(SPEC);
});

it.each(SPEC)('finds the chain %s by name, slug and hex id %s in any case', (name, hex) => {
  const slug = name.replaceAll(' ', '-');
  const words = [name, hex, slug].flatMap((word) => [word, word.toUpperCase()]);

  const found = words.map(findChain);

  expect(found.map((chain) => chain?.name)).toEqual(words.map(() => name));
  expect(found[0]?.slug).toBe(slug);
});

it.each(['', 'ethereum', '1', '0x01', '0x2', 'polygon  amoy'])('finds no chain by "%s"', (word) => {
  expect(findChain(word)).toBeUndefined();
});

it('offers every operation on every chain, except floors on the two flow chains', () => {
  const deaf = CHAINS.filter(({ operations }) => !operations.includes('floor'));
  const complete = CHAINS.filter(({ operations }) => operations.length === OPERATION_NAMES.length);

  expect(deaf.map(({ name, operations }) => [name, operations])).toEqual([
    ['flow', ['traits', 'lowest']],
    ['flow-testnet', ['traits', 'lowest']],
  ]);
  expect(complete).toHaveLength(24);
});

it('defaults to eth if a request names no chain, and rejects an unknown chain', () => {
  const silent = ChainParameter.parse(undefined);
  const unknown = ChainParameter.safeParse('ethereum');

  expect(silent.name).toBe('eth');
  expect(unknown.error?.issues[0]?.message).toContain('expected a chain by name or hex id');
});
