import * as z from 'zod';
import type { Forms } from '#shared/domain/forms.ts';
import { OPERATION_NAMES, type Operation } from './operations.ts';

/** The operations of the v2.2 interface on a contract. */
export const INTERFACE_OPERATIONS = ['traits', 'floor', 'lowest'] as const;
export type InterfaceOperation = (typeof INTERFACE_OPERATIONS)[number];

export type Chain = {
  /** The name in the v2.2 interface, such as `polygon amoy`. */
  readonly name: string;
  /** The name in contract keys, with hyphens instead of spaces. */
  readonly slug: string;
  /** The chain id in the v2.2 interface, in lower-case hex. */
  readonly hex: string;
  /** The currency of the chain's fees, which is the default unit of rules. */
  readonly currency: string;
  /** The operations that providers support on this chain. */
  readonly operations: readonly Operation[];
};

/** The default chain. */
export const DEFAULT_CHAIN: Chain = chain('eth', '0x1', 'eth');

/**
 * The chains of section 4.0 of the v2.2 interface, in its order. The two flow chains have no floor
 * history.
 */
export const CHAINS: readonly Chain[] = [
  DEFAULT_CHAIN,
  chain('sepolia', '0xaa36a7', 'eth'),
  chain('holesky', '0x4268', 'eth'),
  chain('polygon', '0x89', 'pol'),
  chain('polygon amoy', '0x13882', 'pol'),
  chain('bsc', '0x38', 'bnb'),
  chain('bsc testnet', '0x61', 'bnb'),
  chain('avalanche', '0xa86a', 'avax'),
  chain('fantom', '0xfa', 'ftm'),
  chain('palm', '0x2a15c308d', 'palm'),
  chain('cronos', '0x19', 'cro'),
  chain('arbitrum', '0xa4b1', 'eth'),
  chain('gnosis', '0x64', 'xdai'),
  chain('gnosis testnet', '0x27d8', 'xdai'),
  chain('chiliz', '0x15b38', 'chz'),
  chain('chiliz testnet', '0x15b32', 'chz'),
  chain('base', '0x2105', 'eth'),
  chain('base sepolia', '0x14a34', 'eth'),
  chain('optimism', '0xa', 'eth'),
  chain('linea', '0xe708', 'eth'),
  chain('linea sepolia', '0xe705', 'eth'),
  chain('moonbeam', '0x504', 'glmr'),
  chain('moonriver', '0x505', 'movr'),
  chain('moonbase', '0x507', 'dev'),
  chain('flow', '0x2eb', 'flow', ['traits', 'lowest']),
  chain('flow-testnet', '0x221', 'flow', ['traits', 'lowest']),
];

const byWord = new Map(
  CHAINS.flatMap((known) => [
    [known.name, known] as const,
    [known.slug, known] as const,
    [known.hex, known] as const,
  ]),
);

/** Finds a chain by its name, slug or hex id, ignoring case. */
export function findChain(word: string): Chain | undefined {
  return byWord.get(word.toLowerCase());
}

/**
 * The `chain` parameter of the v2.2 interface: a name or hex id, ignoring case; `eth` by default.
 */
export const ChainParameter = z
  .string()
  .default('eth')
  .transform((word, context) => {
    const found = findChain(word);
    if (found !== undefined) return found;
    context.issues.push({
      code: 'custom',
      input: word,
      message: 'expected a chain by name or hex id, for example "eth" or "0x1"',
    });
    return z.NEVER;
  });

export function chainForms(): Forms {
  return [[ChainParameter, chainForm(CHAINS)]];
}

/** The JSON Schema of a `chain` parameter that accepts the given chains. */
export function chainForm(chains: readonly Chain[]) {
  return { enum: chains.flatMap(({ name, hex }) => [name, hex]) };
}

function chain(
  name: string,
  hex: string,
  currency: string,
  operations: readonly Operation[] = OPERATION_NAMES,
): Chain {
  return { name, slug: name.replaceAll(' ', '-'), hex, currency, operations };
}
