import * as z from 'zod';
import { parseExactJson } from '#shared/clients/exact-json.ts';
import { defined } from '#shared/domain/defined.ts';
import { DEFAULT_CHAIN } from '#shared/domain/market/chains.ts';
import { collectionFrom } from '#shared/domain/market/collection.ts';
import { ContractAddress, contractKey } from '#shared/domain/market/contract.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import type { HoldingsPage, WalletAddress } from '#shared/domain/market/wallet.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { EMPTY, GARBAGE, TokenCount } from '#shared/providers/prices.ts';
import { callNftData } from './call-nft-data.ts';

/**
 * A page of the collections that a wallet holds on Ethereum, without those that the service
 * considers spam. The operation is an extension of the v2.2 interface; a service without it
 * responds that the path does not exist.
 */
export async function walletCollections(
  settings: ProviderSettings,
  wallet: WalletAddress,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Outcome<HoldingsPage>> {
  return await callNftData(settings, {
    operation: 'traits',
    path: `${wallet}/nft/collections`,
    chain: DEFAULT_CHAIN,
    query: { exclude_spam: 'true', token_counts: 'true', limit: '100', ...defined({ cursor }) },
    signal,
    read: (body) => readPage(body, cursor),
  });
}

function readPage(body: string, asked: string | undefined): Outcome<HoldingsPage> {
  const parsed = CollectionsPage.safeParse(parseExactJson(body));
  if (!parsed.success) return GARBAGE;
  const { result: records, cursor } = parsed.data;
  if (records.length === 0 && asked === undefined) return EMPTY;
  const collections = records.flatMap(({ token_address: address, name, count: amount }) => {
    const called = collectionFrom({ slug: address, name });
    if (called === undefined) return [];
    const contract = contractKey({ chain: DEFAULT_CHAIN, address });
    return [{ contract, name: called.name, ...defined({ amount }) }];
  });
  return { kind: 'ok', value: { collections, others: 0, cursor } };
}

const CollectionsPage = z.lazy(() =>
  z.object({
    result: z.array(
      z.object({
        token_address: ContractAddress,
        name: z.string().catch(''),
        count: TokenCount,
      }),
    ),
    cursor: z.string().min(1).optional().catch(undefined),
  }),
);
