import * as z from 'zod';
import { isAnsweredBy } from './operations.ts';

/** The providers of prices: a service of the NFT data interface v2.2, OpenSea, CoinGecko, Alchemy, a node. */
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

/** A text with the names of providers in place of their ids: `OpenSea, confirmed by CoinGecko`. */
export function withProviderNames(text: string): string {
  return text.replace(/[a-z-]+/g, (id) => NAME_BY_ID.get(id) ?? id);
}

/** Those that answer all operations: polls are planned for one of them. */
export const MainProvider = Provider.exclude(['coingecko', 'alchemy', 'ethereum-node']);
export type MainProvider = z.output<typeof MainProvider>;

/**
 * Where a provider's floors come from in the first place: a second opinion of the same origin is
 * none. Services of v2.2 and Alchemy read OpenSea's listings; CoinGecko reads several marketplaces; a node
 * has no floors.
 */
const ORIGINS: Readonly<Record<Provider, string>> = {
  'nft-data': 'opensea',
  opensea: 'opensea',
  coingecko: 'coingecko',
  alchemy: 'opensea',
  'ethereum-node': 'ethereum',
};

/** Whether one of some providers can confirm the floors of the first. */
export function canConfirm(first: Provider, others: readonly Provider[]): boolean {
  return others.some((other) => isAnsweredBy(other, 'floor') && !areOfOneOrigin(first, other));
}

export function areOfOneOrigin(one: Provider, other: Provider): boolean {
  return ORIGINS[one] === ORIGINS[other];
}
