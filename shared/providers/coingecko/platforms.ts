import type { Chain } from '#shared/domain/market/chains.ts';

/**
 * CoinGecko's names of the supported chains (asset platforms), by slug. CoinGecko has no test
 * networks.
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

/** CoinGecko's name of a chain; undefined if CoinGecko does not support it. */
export function platformOf({ slug }: Chain): string | undefined {
  return PLATFORMS.get(slug);
}
