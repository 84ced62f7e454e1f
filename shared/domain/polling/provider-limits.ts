import { costsAt, type UpstreamCall } from '#shared/domain/market/operations.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { UpstreamLimits } from './upstream-limits.ts';

/** What a provider allows, and where it is reached. */
type ProviderDefaults = Omit<UpstreamLimits, 'provider' | 'shares'> & { readonly url: string };

/** Reads an hour of OpenSea's free keys, made without an account or with one. */
export const FREE_READS_PER_HOUR = 600;

/** Of the reads of an hour one in ten is left for answers that take several. */
export function readsToSpend(readsPerHour: number) {
  const budgetPerHour = Math.floor((readsPerHour * 90) / 100);
  return { budgetPerHour, budgetPerDay: budgetPerHour * 24, budgetPerMonth: budgetPerHour * 744 };
}

/**
 * Minutes after which a provider may say something else: a service of v2.2 reads floors anew each 30 to
 * 60 minutes, the others answer as of now. Where a key does not carry that, the cadence is stretched.
 */
export const CADENCE_MINUTES: Readonly<Record<Provider, number>> = {
  'nft-data': 30,
  opensea: 1,
  coingecko: 1,
  alchemy: 1,
  'ethereum-node': 1,
};

/** The requests that a call takes as a rule, by which `costs` are reckoned; all others take one. */
const USUAL_REQUESTS: Readonly<
  Partial<Record<Provider, Readonly<Partial<Record<UpstreamCall, number>>>>>
> = {
  opensea: { lowestprice: 2, price: 2 },
  'ethereum-node': { lowestprice: 20, price: 20 },
};

/** What a call costs that made so many requests. */
export function costOfRequests(
  call: UpstreamCall,
  requests: number,
  { provider, costs }: Pick<UpstreamLimits, 'provider' | 'costs'>,
): number {
  const usual = USUAL_REQUESTS[provider]?.[call] ?? 1;
  return Math.ceil((costs[call] * requests) / usual);
}

/**
 * What each provider allows with its smallest key: two million units a month of a service of v2.2; 600
 * reads an hour of OpenSea; 30 calls a minute, and 10,000 a month, of CoinGecko; 30 million compute units
 * a month of Alchemy. Nodes count requests, each in a way of its own: here a unit is a request, and a
 * poll of sales takes up to twenty of them.
 */
export const PROVIDER_LIMITS: Readonly<Record<Provider, ProviderDefaults>> = {
  'nft-data': {
    url: 'https://deep-index.moralis.io',
    budgetPerDay: 100_000,
    budgetPerMonth: 2_000_000,
    costs: costsAt('nft-data'),
    callsPerSecond: 5,
  },
  opensea: {
    url: 'https://api.opensea.io',
    ...readsToSpend(FREE_READS_PER_HOUR),
    costs: costsAt('opensea'),
    callsPerSecond: 2,
  },
  coingecko: {
    url: 'https://api.coingecko.com',
    budgetPerHour: 60,
    budgetPerDay: 500,
    budgetPerMonth: 10_000,
    costs: costsAt('coingecko'),
    callsPerSecond: 1,
  },
  alchemy: {
    url: 'https://eth-mainnet.g.alchemy.com',
    budgetPerDay: 1_000_000,
    budgetPerMonth: 30_000_000,
    costs: costsAt('alchemy'),
    callsPerSecond: 3,
  },
  'ethereum-node': {
    url: 'https://ethereum-rpc.publicnode.com',
    budgetPerDay: 20_000,
    budgetPerMonth: 500_000,
    costs: costsAt('ethereum-node'),
    callsPerSecond: 1,
  },
};
