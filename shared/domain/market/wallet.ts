import * as z from 'zod';
import type { Forms } from '#shared/domain/forms.ts';
import { ADDRESS } from './address.ts';
import type { ContractKey } from './contract.ts';

/** The address of a wallet, on all chains the same; kept in lower case. */
export const WalletAddress = z.string().transform((text, context): `0x${string}` => {
  const [address] = new RegExp(`${ADDRESS}$`).exec(text) ?? [];
  if (address !== undefined && address === text) return `0x${text.slice(2).toLowerCase()}`;
  const hint =
    address === undefined
      ? 'a name such as vitalik.eth is not looked up'
      : `did you mean "${address}"?`;
  const message = `expected the address of a wallet, 0x and 40 hex digits; ${hint}`;
  context.issues.push({ code: 'custom', input: text, message });
  return z.NEVER;
});
export type WalletAddress = z.output<typeof WalletAddress>;

export function walletForms(): Forms {
  return [[WalletAddress, { pattern: `^${ADDRESS}$` }]];
}

/** A collection that a wallet holds tokens of. */
export type HeldCollection = { readonly contract: ContractKey; readonly name: string };

/** One page of what a wallet holds. */
export type HoldingsPage = {
  readonly collections: readonly HeldCollection[];
  /** How many more collections it has that no contract stands for alone. */
  readonly others: number;
  /** Where the next page begins; undefined on the last. */
  readonly cursor?: string | undefined;
};

/** What a wallet holds. */
export type Holdings = Pick<HoldingsPage, 'collections' | 'others'> & {
  /** Whether there is more than was read: then what is missing is not gone. */
  readonly isCut: boolean;
};
