import type { ArchivePorts } from '#functions/serve-nft-data/archive-source.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { createTradeReader, floorIn, tokenIn } from '#shared/domain/archive/import-line.ts';
import { isOn } from '#shared/domain/archive/trade.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, type Instant } from '#shared/domain/market/instant.ts';
import { createTokenArchive, createTokenStore } from '#shared/stores/token-store.ts';
import { type Floor, lowestTrade, type MarketSource } from './market-source.ts';

/**
 * The archive of a market up to now. Floors and trades are computed for each request, so a long
 * history needs no memory. The tokens of a contract are indexed at its first search.
 */
export function createMarketArchive(source: MarketSource, now: () => Instant): ArchivePorts {
  const table = createMemoryTable();
  const archive = createTokenArchive(table);
  const tokens = createTokenStore(table);
  const indexed = new Map<ContractKey, Promise<void>>();

  const index = async (contract: ContractKey) => {
    await archive.putTokens(source.tokens(contract).map(tokenIn), IMPORTER);
    await archive.settleCounts(new Set([contract]), IMPORTER);
  };
  const indexOnce = async (contract: ContractKey) => {
    const indexing = indexed.get(contract) ?? index(contract);
    indexed.set(contract, indexing);
    await indexing;
  };

  return {
    now,

    tokens: async (contract, ids) => {
      await indexOnce(contract);
      return await tokens.getAll(contract, ids);
    },
    tokenCounts: async (contract, traits) => {
      await indexOnce(contract);
      return await tokens.counts(contract, traits);
    },
    tokensWith: async (contract, trait, page) => {
      await indexOnce(contract);
      return await tokens.withTrait(contract, trait, page);
    },

    floors: async (contract, _part, { from, to, each, limit }) => {
      const floors =
        each === 'point' ? source.floors(contract, from, to) : lastOfDays(source, contract, now());
      return Iterator.from(floors)
        .filter(({ time }) => time >= from && time <= to)
        .take(limit)
        .map(({ record }) => floorIn(record))
        .toArray();
    },

    lowestTrade: async (contract, { from, to, marketplace }) => {
      const read = createTradeReader();
      const isAsked = (record: Parameters<typeof read>[0]) =>
        marketplace === undefined || isOn(marketplace, read(record, 0));
      const lowest = lowestTrade(source, contract, from, to, isAsked);
      return lowest && read(lowest.record, 0).record;
    },
  };
}

/** The last floor of each UTC day up to an instant, newest first. */
function* lastOfDays(
  source: MarketSource,
  contract: ContractKey,
  until: Instant,
): Iterable<Floor, undefined> {
  let day: number | undefined;
  for (const floor of source.floors(contract, 0, until)) {
    const next = Math.floor(floor.time / DAY);
    if (next !== day) yield floor;
    day = next;
  }
  return undefined;
}

/** The name of the importer: this archive has only one. */
const IMPORTER = 'market';
