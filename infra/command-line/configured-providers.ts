import { Provider } from '#shared/domain/market/provider.ts';
import { PROVIDER_LIMITS } from '#shared/domain/polling/provider-limits.ts';
import { UsageError } from './usage-error.ts';

/** A provider with its URL and key. */
export type ConfiguredProvider = {
  readonly provider: Provider;
  readonly url: string;
  readonly key: string;
};

/**
 * The environment variables with a provider's key, and with its URL if it differs from the default.
 * The key of a node is its whole URL.
 */
const VARIABLES: Readonly<Record<Provider, { readonly key: string; readonly url?: string }>> = {
  'nft-data': { key: 'UPSTREAM_KEY', url: 'UPSTREAM_URL' },
  opensea: { key: 'OPENSEA_API_KEY', url: 'OPENSEA_URL' },
  coingecko: { key: 'COINGECKO_API_KEY', url: 'COINGECKO_URL' },
  alchemy: { key: 'ALCHEMY_API_KEY', url: 'ALCHEMY_URL' },
  'ethereum-node': { key: 'ETHEREUM_NODE_URL' },
};

/** The providers whose keys are in the environment. */
export function configuredProviders(
  environment: Readonly<Record<string, string | undefined>>,
): readonly ConfiguredProvider[] {
  const { UPSTREAM_URL: url, UPSTREAM_KEY: key } = environment;
  if (!url !== !key) throw new UsageError('set both UPSTREAM_URL and UPSTREAM_KEY, or neither');
  return Provider.options.flatMap((provider) => {
    const variables = VARIABLES[provider];
    const secret = environment[variables.key];
    const usual = PROVIDER_LIMITS[provider].url;
    if (variables.url === undefined) {
      // The error does not repeat the URL, because most contain a secret in their path.
      if (secret && !URL.canParse(secret)) throw new UsageError(`${variables.key} is not a URL`);
      return secret ? [{ provider, url: usual, key: secret }] : [];
    }
    const { [variables.url]: address = usual } = environment;
    if (!URL.canParse(address)) throw new UsageError(`${variables.url} is not a URL: ${address}`);
    return secret ? [{ provider, url: address, key: secret }] : [];
  });
}
