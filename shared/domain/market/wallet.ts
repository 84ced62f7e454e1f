import * as z from 'zod';
import type { Forms } from '#shared/domain/forms.ts';
import { ADDRESS } from './address.ts';
import type { ContractKey } from './contract.ts';

/** The address of a wallet, which is the same on all chains. Converted to lower case. */
export const WalletAddress = z.string().transform((text, context): `0x${string}` => {
  const [address] = new RegExp(`${ADDRESS}$`).exec(text) ?? [];
  if (address !== undefined && address === text) return `0x${text.slice(2).toLowerCase()}`;
  const hint =
    address === undefined
      ? 'names such as vitalik.eth are not resolved'
      : `did you mean "${address}"?`;
  const message = `expected the address of a wallet, 0x and 40 hex digits; ${hint}`;
  context.issues.push({ code: 'custom', input: text, message });
  return z.NEVER;
});
export type WalletAddress = z.output<typeof WalletAddress>;

export function walletForms(): Forms {
  return [[WalletAddress, { pattern: `^${ADDRESS}$` }]];
}

/** A collection of which a wallet holds tokens. */
export type HeldCollection = {
  readonly contract: ContractKey;
  readonly name: string;
  /** Number of held tokens; undefined if the provider does not report it. */
  readonly amount?: number | undefined;
};

/** One page of the holdings of a wallet. */
export type HoldingsPage = {
  readonly collections: readonly HeldCollection[];
  /** Number of collections that cannot be watched, for example those with several contracts. */
  readonly others: number;
  /** The start of the next page; undefined on the last page. */
  readonly cursor?: string | undefined;
};

/** The holdings of a wallet. */
export type Holdings = Pick<HoldingsPage, 'collections' | 'others'> & {
  /**
   * Whether only a part of the holdings was read. A collection that is absent here may still be
   * held.
   */
  readonly isCut: boolean;
};
