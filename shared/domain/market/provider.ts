import * as z from 'zod';
import { isAnsweredBy } from './operations.ts';

/** The providers of prices. `nft-data` is a service with the NFT data interface v2.2. */
export const Provider = z.enum(['nft-data', 'opensea', 'coingecko', 'alchemy', 'ethereum-node']);
export type Provider = z.output<typeof Provider>;

const NAMES: Readonly<Record<Provider, string>> = {
  'nft-data': 'the v2.2 service',
  opensea: 'OpenSea',
  coingecko: 'CoinGecko',
  alchemy: 'Alchemy',
  'ethereum-node': 'an Ethereum node',
};
const NAME_BY_ID: ReadonlyMap<string, string> = new Map(Object.entries(NAMES));

/** Replaces ids of providers in a text by their names: `OpenSea, confirmed by CoinGecko`. */
export function withProviderNames(text: string): string {
  return text.replace(/[a-z-]+/g, (id) => NAME_BY_ID.get(id) ?? id);
}

/**
 * The providers that answer all operations. The polls of a stack are planned for one of these
 * providers.
 */
export const MainProvider = Provider.exclude(['coingecko', 'alchemy', 'ethereum-node']);
export type MainProvider = z.output<typeof MainProvider>;

/**
 * The original source of each provider's floors. Only a provider with another origin can confirm a
 * floor. Services of the NFT data interface (`nft-data`) and Alchemy report the floor of
 * OpenSea's listings. CoinGecko reads several marketplaces. A node has no floors.
 */
const ORIGINS: Readonly<Record<Provider, string>> = {
  'nft-data': 'opensea',
  opensea: 'opensea',
  coingecko: 'coingecko',
  alchemy: 'opensea',
  'ethereum-node': 'ethereum',
};

/** Whether one of the other providers can confirm the floors of the first. */
export function canConfirm(first: Provider, others: readonly Provider[]): boolean {
  return others.some((other) => isAnsweredBy(other, 'floor') && !areOfOneOrigin(first, other));
}

export function areOfOneOrigin(one: Provider, other: Provider): boolean {
  return ORIGINS[one] === ORIGINS[other];
}
