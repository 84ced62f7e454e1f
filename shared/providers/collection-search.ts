import type { MainProvider } from '#shared/domain/market/provider.ts';
import type { FindCollection, ReadHoldings } from '#shared/use-cases/upstream.ts';
import type { ProviderSettings } from './call-provider.ts';
import { findCollection } from './opensea/find-collection.ts';
import { walletCollections } from './opensea/wallet-collections.ts';

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

const HOLDINGS: Readonly<Record<MainProvider, typeof walletCollections | undefined>> = {
  'nft-data': undefined,
  opensea: walletCollections,
};

/** What a provider reports of wallets, apart from its prices, too. */
export function holdingsReader(provider: MainProvider, settings: ProviderSettings): ReadHoldings {
  const read = HOLDINGS[provider];
  return read && ((wallet, cursor, signal) => read(settings, wallet, cursor, signal));
}
