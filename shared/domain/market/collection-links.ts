import { type ContractKey, contractOf } from './contract.ts';

/**
 * URL prefixes of an explorer and of a marketplace, by chain. The contract address is appended.
 */
const PLACES: Readonly<Record<string, { readonly explorer: string; readonly market?: string }>> = {
  eth: { explorer: 'https://etherscan.io/address/', market: 'https://opensea.io/assets/ethereum/' },
  base: { explorer: 'https://basescan.org/address/', market: 'https://opensea.io/assets/base/' },
  arbitrum: {
    explorer: 'https://arbiscan.io/address/',
    market: 'https://opensea.io/assets/arbitrum/',
  },
  optimism: {
    explorer: 'https://optimistic.etherscan.io/address/',
    market: 'https://opensea.io/assets/optimism/',
  },
  polygon: { explorer: 'https://polygonscan.com/address/' },
  bsc: { explorer: 'https://bscscan.com/address/' },
  avalanche: { explorer: 'https://snowtrace.io/address/' },
  linea: { explorer: 'https://lineascan.build/address/' },
  gnosis: { explorer: 'https://gnosisscan.io/address/' },
  cronos: { explorer: 'https://cronoscan.com/address/' },
  moonbeam: { explorer: 'https://moonbeam.moonscan.io/address/' },
  moonriver: { explorer: 'https://moonriver.moonscan.io/address/' },
  flow: { explorer: 'https://evm.flowscan.io/address/' },
  sepolia: { explorer: 'https://sepolia.etherscan.io/address/' },
  holesky: { explorer: 'https://holesky.etherscan.io/address/' },
};

/** Web pages about a contract, the marketplace first. Empty if its chain has neither page. */
export function collectionLinks(contract: ContractKey): readonly string[] {
  const { chain, address } = contractOf(contract);
  const places = PLACES[chain.slug];
  return [places?.market, places?.explorer].flatMap((page) =>
    page === undefined ? [] : [`${page}${address}`],
  );
}
