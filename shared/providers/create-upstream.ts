import type { Provider } from '#shared/domain/market/provider.ts';
import type { Upstream } from '#shared/use-cases/upstream.ts';
import type { ProviderSettings } from './call-provider.ts';
import { createNftData } from './nft-data/nft-data.ts';
import { createOpenSea } from './opensea/opensea.ts';

const PROVIDERS: Readonly<Record<Provider, (settings: ProviderSettings) => Upstream>> = {
  'nft-data': createNftData,
  opensea: createOpenSea,
};

/** The upstream that a stage is configured for. */
export function createUpstream(provider: Provider, settings: ProviderSettings): Upstream {
  return PROVIDERS[provider](settings);
}
