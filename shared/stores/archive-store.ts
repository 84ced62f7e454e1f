import type { BatchTable } from './bulk-table.ts';
import { createHistoryStore, type HistoryStore } from './history-store.ts';
import { createTokenStore, type TokenStore } from './token-store.ts';
import { createTradeStore, type TradeStore } from './trade-store.ts';

/** The queries of the archive, which read the stores of tokens, trades and floors. */
export type ArchiveStore = {
  readonly tokens: TokenStore['getAll'];
  readonly tokenCounts: TokenStore['counts'];
  readonly tokensWith: TokenStore['withTrait'];
  readonly lowestTrade: TradeStore['lowest'];
  readonly floors: HistoryStore['newest'];
};

export function createArchiveStore(table: BatchTable): ArchiveStore {
  const tokens = createTokenStore(table);
  return {
    tokens: tokens.getAll,
    tokenCounts: tokens.counts,
    tokensWith: tokens.withTrait,
    lowestTrade: createTradeStore(table).lowest,
    floors: createHistoryStore(table).newest,
  };
}
