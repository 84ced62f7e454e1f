import type { MainProvider, Provider } from '#shared/domain/market/provider.ts';
import type { FindCollection, ReadHoldings } from '#shared/use-cases/upstream.ts';
import type { ProviderSettings } from './call-provider.ts';
import { walletCollections as ofNftData } from './nft-data/wallet-collections.ts';
import { findCollection } from './opensea/find-collection.ts';
import { walletCollections as ofOpenSea } from './opensea/wallet-collections.ts';

const SEARCHES: Readonly<Partial<Record<Provider, typeof findCollection>>> = {
  opensea: findCollection,
};

/** The first provider with a search for collections; undefined if there is none. */
export function searchProvider<
  Configured extends { readonly limits: { readonly provider: Provider } },
>(providers: readonly Configured[]): Configured | undefined {
  return providers.find(({ limits }) => SEARCHES[limits.provider] !== undefined);
}

/**
 * The search of a provider. Searches and prices are separate, because not every bundle needs both.
 */
export function collectionSearch(provider: Provider, settings: ProviderSettings): FindCollection {
  const search = SEARCHES[provider];
  return search && ((asked, signal) => search(settings, asked, signal));
}

const HOLDINGS: Readonly<Record<MainProvider, typeof ofOpenSea>> = {
  'nft-data': ofNftData,
  opensea: ofOpenSea,
};

/** Reads the holdings of wallets from a provider. Like the search, it is separate from prices. */
export function holdingsReader(provider: MainProvider, settings: ProviderSettings): ReadHoldings {
  const read = HOLDINGS[provider];
  return (wallet, cursor, signal) => read(settings, wallet, cursor, signal);
}
