import type { MainProvider } from '#shared/domain/market/provider.ts';
import type { MainUpstream } from '#shared/use-cases/upstream.ts';
import type { ProviderSettings } from './call-provider.ts';
import { createNftData } from './nft-data/nft-data.ts';
import { createOpenSea } from './opensea/opensea.ts';
import { ofWholeContracts } from './whole-contracts.ts';

export const MAIN_PROVIDERS: Readonly<
  Record<MainProvider, (settings: ProviderSettings) => MainUpstream>
> = {
  'nft-data': (settings) => ofWholeContracts(createNftData(settings)),
  opensea: createOpenSea,
};

/** The main provider of a stage, for which polls are planned. */
export function createUpstream(provider: MainProvider, settings: ProviderSettings): MainUpstream {
  return MAIN_PROVIDERS[provider](settings);
}
