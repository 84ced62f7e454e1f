import * as z from 'zod';
import { type Chain, findChain } from './chains.ts';

/** An NFT contract by its key `<chain>:<address>`, chain by slug, address in lower case. */
export type ContractKey = `${string}:0x${string}`;

export type Contract = { readonly chain: Chain; readonly address: ContractAddress };

/** The address of a contract: `0x` and 40 hex digits; reported in lower case. */
export const ContractAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'expected an address: 0x and 40 hex digits')
  .transform((text): `0x${string}` => `0x${text.slice(2).toLowerCase()}`);
export type ContractAddress = z.output<typeof ContractAddress>;

/** A contract as people write it, `eth:0xb47e…`; the chain by name, slug or hex id. */
export const ContractKey = z.string().transform((text, context): ContractKey => {
  const separator = text.lastIndexOf(':');
  const chain = findChain(text.slice(0, Math.max(separator, 0)));
  const address = ContractAddress.safeParse(text.slice(separator + 1));
  if (chain !== undefined && address.success) return contractKey({ chain, address: address.data });
  context.issues.push({
    code: 'custom',
    input: text,
    message:
      chain === undefined
        ? `expected a contract as <chain>:<address> with a known chain, ${guess(text, address.data)}`
        : 'expected a contract as <chain>:<address>, the address as 0x and 40 hex digits',
  });
  return z.NEVER;
});

/** Other names of chains, from marketplaces and explorers. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ ethereum: 'eth', mainnet: 'eth', matic: 'polygon', bnb: 'bsc', avax: 'avalanche' },
  ...{ 'arbitrum-one': 'arbitrum', arb: 'arbitrum', op: 'optimism' },
};

/** The contract that is probably meant: without a chain one of Ethereum. */
function guess(text: string, address: ContractAddress | undefined): string {
  const chain = text.slice(0, Math.max(text.lastIndexOf(':'), 0)).toLowerCase();
  const meant = chain === '' ? 'eth' : OTHER_NAMES[chain];
  return meant === undefined || address === undefined
    ? 'for example eth:0xb47e…'
    : `did you mean "${meant}:${address}"?`;
}

/** The key under which a contract is known everywhere in floorwatch. */
export function contractKey({ chain, address }: Contract): ContractKey {
  return `${chain.slug}:${address}`;
}

/** Chain and address of a key; throws for a key that was never one. */
export function contractOf(key: ContractKey): Contract {
  const separator = key.lastIndexOf(':');
  const chain = findChain(key.slice(0, separator));
  if (chain === undefined) throw new RangeError(`no known chain in contract ${key}`);
  return { chain, address: ContractAddress.parse(key.slice(separator + 1)) };
}
