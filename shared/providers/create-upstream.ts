import type { MainProvider, Provider } from '#shared/domain/market/provider.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import type { MainUpstream, Upstream } from '#shared/use-cases/upstream.ts';
import type { ProviderSettings } from './call-provider.ts';
import { createCoinGecko } from './coingecko/coingecko.ts';
import { createNftData } from './nft-data/nft-data.ts';
import { createOpenSea } from './opensea/opensea.ts';

const MAIN_PROVIDERS: Readonly<Record<MainProvider, (settings: ProviderSettings) => MainUpstream>> =
  { 'nft-data': createNftData, opensea: createOpenSea };

const PROVIDERS: Readonly<Record<Provider, (settings: ProviderSettings) => Upstream>> = {
  ...MAIN_PROVIDERS,
  coingecko: createCoinGecko,
};

/** The provider that a stage's polls are planned for. */
export function createUpstream(provider: MainProvider, settings: ProviderSettings): MainUpstream {
  return MAIN_PROVIDERS[provider](settings);
}

/** The providers beside it, each with the limits of its key. */
export function createOthers(
  others: readonly {
    readonly limits: UpstreamLimits;
    readonly url: string;
    readonly keyParameter: string;
  }[],
  settingsFor: (keyParameter: string) => Omit<ProviderSettings, 'baseUrl'>,
): readonly { readonly limits: UpstreamLimits; readonly upstream: Upstream }[] {
  return others.map(({ limits, url, keyParameter }) => {
    const settings = { ...settingsFor(keyParameter), baseUrl: url };
    return { limits, upstream: PROVIDERS[limits.provider](settings) };
  });
}
