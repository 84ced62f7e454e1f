import { defined } from '#shared/domain/defined.ts';
import { collectionFrom } from '#shared/domain/market/collection.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import type { HoldingsPage, WalletAddress } from '#shared/domain/market/wallet.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { EMPTY } from '#shared/providers/prices.ts';
import { readWalletCollections } from './answers.ts';
import { callOpenSea } from './call-opensea.ts';
import { slugOf } from './chains.ts';

/** OpenSea's default page size; a maximum is not documented. */
const ON_A_PAGE = 50;

/**
 * A page of the collections that a wallet holds. Two kinds of collections are only counted: those
 * with several contracts have no floor per contract, and those on unsupported chains cannot be
 * watched.
 */
export async function walletCollections(
  settings: ProviderSettings,
  wallet: WalletAddress,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Outcome<HoldingsPage>> {
  const found = await callOpenSea(
    settings,
    `account/${wallet}/collections`,
    { limit: `${ON_A_PAGE}`, ...defined({ after: cursor }) },
    readWalletCollections,
    signal,
  );
  if (found.kind !== 'ok') return found;
  const { collections: records, next } = found.value;
  if (records.length === 0 && cursor === undefined) return EMPTY;
  const collections = records.flatMap(
    ({ collection: slug, name, contracts, total_quantity: amount }) => {
      const [only, ...others] = contracts;
      const key = ContractKey.safeParse(`${slugOf(only?.chain ?? '')}:${only?.address}`);
      const called = collectionFrom({ slug, name });
      return key.success && others.length === 0 && called !== undefined
        ? [{ contract: key.data, name: called.name, ...defined({ amount }) }]
        : [];
    },
  );
  const others = records.length - collections.length;
  return { kind: 'ok', value: { collections, others, cursor: next } };
}
