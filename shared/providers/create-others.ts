import type { Provider } from '#shared/domain/market/provider.ts';
import { mapOutcome } from '#shared/domain/market/upstream.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import type { Upstream } from '#shared/use-cases/upstream.ts';
import { createAlchemy } from './alchemy/alchemy.ts';
import type { ProviderSettings } from './call-provider.ts';
import { createCoinGecko } from './coingecko/coingecko.ts';
import { MAIN_PROVIDERS } from './create-upstream.ts';
import { createEthereumNode } from './ethereum-node/ethereum-node.ts';
import { markCursor } from './mark-cursor.ts';
import { ofWholeContracts } from './whole-contracts.ts';

const PROVIDERS: Readonly<Record<Provider, (settings: ProviderSettings) => Upstream>> = {
  ...MAIN_PROVIDERS,
  coingecko: (settings) => ofWholeContracts(createCoinGecko(settings)),
  alchemy: (settings) => ofWholeContracts(createAlchemy(settings)),
  'ethereum-node': (settings) => ofWholeContracts(createEthereumNode(settings)),
};

/** Creates the additional providers, each with the limits of its key. */
export type OtherProviders = (
  others: readonly {
    readonly limits: UpstreamLimits;
    readonly url: string;
    readonly keyParameter: string;
  }[],
  settingsFor: (keyParameter: string) => Omit<ProviderSettings, 'baseUrl'>,
) => readonly { readonly limits: UpstreamLimits; readonly upstream: Upstream }[];

export const createOthers: OtherProviders = (others, settingsFor) =>
  others.map(({ limits, url, keyParameter }) => {
    const { provider } = limits;
    const upstream = PROVIDERS[provider]({ ...settingsFor(keyParameter), baseUrl: url });
    return { limits, upstream: { ...upstream, ...withMarks(provider, upstream) } };
  });

/** Marks the cursors of v2.2 pages, so that the next page is requested from the same provider. */
function withMarks(provider: Provider, { answer }: Upstream): Pick<Upstream, 'answer'> {
  if (answer === undefined) return {};
  return {
    answer: async (question, signal) =>
      mapOutcome(await answer(question, signal), (body) => markCursor(provider, body)),
  };
}
