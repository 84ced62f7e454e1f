import { createMemoryTable } from '#infra/local/memory-table.ts';
import {
  createTradeReader,
  floorIn,
  isPaidInEth,
  tokenIn,
} from '#shared/domain/archive/import-line.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createTokenArchive } from '#shared/stores/token-store.ts';
import { createTradeArchive } from '#shared/stores/trade-store.ts';
import type { MarketSource } from './market-source.ts';

/** An archive that learns of a market as time goes on. */
export function createMarketArchive(source: MarketSource) {
  const table = createMemoryTable();
  const history = createHistoryStore(table);
  const trades = createTradeArchive(table);
  const tokens = createTokenArchive(table);
  const fed = new Map<ContractKey, Instant>();
  let turn: Promise<unknown> = Promise.resolve();

  const feed = async (contract: ContractKey, until: Instant) => {
    const known = fed.get(contract);
    if (known !== undefined && known >= until) return;
    const since = known === undefined ? 0 : known + 1;
    fed.set(contract, until);
    if (known === undefined) {
      await tokens.putTokens(source.tokens(contract).map(tokenIn), IMPORTER);
      await tokens.settleCounts(new Set([contract]), IMPORTER);
    }
    const floors = Array.from(source.floors(contract, since, until), ({ record }) =>
      floorIn(record),
    );
    await history.record(contract, 'floor', floors);
    const sales = Array.from(source.trades(contract, since, until), ({ record }) => record)
      .filter(isPaidInEth)
      .map(createTradeReader());
    await trades.putTrades(sales);
  };

  return {
    table,
    /** Lets the archive know of a contract all that has happened until a moment. */
    learn: async (contract: ContractKey, until: Instant): Promise<void> => {
      const mine = turn.then(() => feed(contract, until));
      turn = mine.catch(() => undefined);
      await mine;
    },
  };
}

/** The only importer of this archive. */
const IMPORTER = 'market';
