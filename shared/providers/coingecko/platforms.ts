import type { Chain } from '#shared/domain/market/chains.ts';

/**
 * The chains of the interface that CoinGecko has, by slug, as its asset platforms are named. It has no
 * test networks.
 */
const PLATFORMS: ReadonlyMap<string, string> = new Map([
  ['eth', 'ethereum'],
  ['polygon', 'polygon-pos'],
  ['bsc', 'binance-smart-chain'],
  ['avalanche', 'avalanche'],
  ['fantom', 'fantom'],
  ['cronos', 'cronos'],
  ['arbitrum', 'arbitrum-one'],
  ['gnosis', 'xdai'],
  ['base', 'base'],
  ['optimism', 'optimistic-ethereum'],
  ['linea', 'linea'],
  ['moonbeam', 'moonbeam'],
  ['moonriver', 'moonriver'],
]);

/** A chain as CoinGecko names it; undefined if it has none such. */
export function platformOf({ slug }: Chain): string | undefined {
  return PLATFORMS.get(slug);
}
