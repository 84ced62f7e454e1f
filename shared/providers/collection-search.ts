import type { MainProvider } from '#shared/domain/market/provider.ts';
import type { FindCollection, ReadHoldings } from '#shared/use-cases/upstream.ts';
import type { ProviderSettings } from './call-provider.ts';
import { walletCollections as ofNftData } from './nft-data/wallet-collections.ts';
import { findCollection } from './opensea/find-collection.ts';
import { walletCollections as ofOpenSea } from './opensea/wallet-collections.ts';

const SEARCHES: Readonly<Record<MainProvider, typeof findCollection | undefined>> = {
  'nft-data': undefined,
  opensea: findCollection,
};

/** The search of a provider, apart from its prices: who changes lists bundles no more of it. */
export function collectionSearch(
  provider: MainProvider,
  settings: ProviderSettings,
): FindCollection {
  const search = SEARCHES[provider];
  return search && ((asked, signal) => search(settings, asked, signal));
}

const HOLDINGS: Readonly<Record<MainProvider, typeof ofOpenSea>> = {
  'nft-data': ofNftData,
  opensea: ofOpenSea,
};

/** What a provider reports of wallets, apart from its prices, too. */
export function holdingsReader(provider: MainProvider, settings: ProviderSettings): ReadHoldings {
  const read = HOLDINGS[provider];
  return (wallet, cursor, signal) => read(settings, wallet, cursor, signal);
}
