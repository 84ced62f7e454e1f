import { expect, it } from 'vitest';
import type { Provider } from '#shared/domain/market/provider.ts';
import { collectionSearch, searchProvider } from '#shared/providers/collection-search.ts';

const configured = (...providers: readonly Provider[]) =>
  providers.map((provider) => ({ limits: { provider } }));

it.each<readonly [configured: readonly Provider[], searched: Provider | undefined]>([
  [['opensea', 'coingecko'], 'opensea'],
  [['nft-data', 'coingecko', 'opensea'], 'opensea'],
  [['nft-data', 'alchemy', 'ethereum-node'], undefined],
])('searches collections, of the providers %j, with %s', (providers, searched) => {
  expect(searchProvider(configured(...providers))?.limits.provider).toBe(searched);
});

it('returns no search for a provider that cannot search', () => {
  expect(collectionSearch('coingecko', {} as never)).toBeUndefined();
});
