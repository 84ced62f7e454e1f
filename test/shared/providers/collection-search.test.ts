import { expect, it } from 'vitest';
import type { Provider } from '#shared/domain/market/provider.ts';
import { collectionSearch, searchProvider } from '#shared/providers/collection-search.ts';

const configured = (...providers: readonly Provider[]) =>
  providers.map((provider) => ({ limits: { provider } }));

it.each<readonly [configured: readonly Provider[], searched: Provider | undefined]>([
  [['opensea', 'coingecko'], 'opensea'],
  [['nft-data', 'coingecko', 'opensea'], 'opensea'],
  [['nft-data', 'alchemy', 'ethereum-node'], undefined],
])('of the configured providers %j, uses %s to search for collections', (providers, searched) => {
  expect(searchProvider(configured(...providers))?.limits.provider).toBe(searched);
});

it('offers no search with a provider that cannot search for collections', () => {
  expect(collectionSearch('coingecko', {} as never)).toBeUndefined();
});
