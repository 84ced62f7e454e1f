import * as z from 'zod';

/** The providers of prices: a service of the NFT data interface v2.2, OpenSea, CoinGecko, Alchemy. */
export const Provider = z.enum(['nft-data', 'opensea', 'coingecko', 'alchemy']);
export type Provider = z.output<typeof Provider>;

/** Those that answer all operations: polls are planned for one of them. */
export const MainProvider = Provider.exclude(['coingecko', 'alchemy']);
export type MainProvider = z.output<typeof MainProvider>;

const REPORTING_SALES: ReadonlySet<Provider> = new Set(MainProvider.options);

/** Whether a provider reports sales; one that is asked beside another may have floors alone. */
export function reportsSales(provider: Provider): boolean {
  return REPORTING_SALES.has(provider);
}

/**
 * Where a provider's floors come from in the first place: a second opinion of the same origin is
 * none. Services of v2.2 and Alchemy read OpenSea's listings; CoinGecko reads several marketplaces.
 */
const ORIGINS: Readonly<Record<Provider, string>> = {
  'nft-data': 'opensea',
  opensea: 'opensea',
  coingecko: 'coingecko',
  alchemy: 'opensea',
};

export function areOfOneOrigin(one: Provider, other: Provider): boolean {
  return ORIGINS[one] === ORIGINS[other];
}
