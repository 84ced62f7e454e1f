import type { MainProvider } from '#shared/domain/market/provider.ts';
import type { FindCollection } from '#shared/use-cases/upstream.ts';
import type { ProviderSettings } from './call-provider.ts';
import { findCollection } from './opensea/find-collection.ts';

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
