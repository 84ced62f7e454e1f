import { costsAt, type UpstreamCall } from '#shared/domain/market/operations.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { UpstreamLimits } from './upstream-limits.ts';

/** The default limits of a provider, and its URL. */
type ProviderDefaults = Omit<UpstreamLimits, 'provider' | 'shares'> & { readonly url: string };

/** Reads per hour that OpenSea allows with a free key, created with or without an account. */
export const FREE_READS_PER_HOUR = 600;

/**
 * The budgets of a key. One tenth of the reads is reserved for calls that need more than one read.
 */
export function readsToSpend(readsPerHour: number) {
  const budgetPerHour = Math.floor((readsPerHour * 90) / 100);
  return { budgetPerHour, budgetPerDay: budgetPerHour * 24, budgetPerMonth: budgetPerHour * 744 };
}

/**
 * Minutes after which a provider may return another value. A service with the v2.2 interface
 * updates its floors every 30 to 60 minutes; the other providers return present floors. If a key
 * does not allow this cadence, the cadence is stretched.
 */
export const CADENCE_MINUTES: Readonly<Record<Provider, number>> = {
  'nft-data': 30,
  opensea: 1,
  coingecko: 1,
  alchemy: 1,
  'ethereum-node': 1,
};

/**
 * Number of requests that a call usually makes. The cost of the call covers all these requests. A
 * call that is not listed makes one request.
 */
const USUAL_REQUESTS: Readonly<
  Partial<Record<Provider, Readonly<Partial<Record<UpstreamCall, number>>>>>
> = {
  opensea: { lowestprice: 2, price: 2 },
  'ethereum-node': { lowestprice: 20, price: 20 },
};

/** The cost of a call that made the given number of requests. */
export function costOfRequests(
  call: UpstreamCall,
  requests: number,
  { provider, costs }: Pick<UpstreamLimits, 'provider' | 'costs'>,
): number {
  const usual = USUAL_REQUESTS[provider]?.[call] ?? 1;
  return Math.ceil((costs[call] * requests) / usual);
}

/**
 * The limits of each provider with its smallest plan:
 * - a service with the v2.2 interface: two million units a month
 * - OpenSea: 600 reads an hour
 * - CoinGecko: 30 calls a minute, 10,000 a month
 * - Alchemy: 30 million compute units a month
 *
 * Nodes count requests in different ways. Here one unit is one request, and a poll of sales takes
 * up to twenty requests.
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
