import { createHistoryStore, type HistoryStore } from './history-store.ts';
import type { Table } from './table.ts';
import { createTokenStore, type TokenStore } from './token-store.ts';
import { createTradeStore, type TradeStore } from './trade-store.ts';

/** All that the archive is asked, over the stores of its tokens, trades and floors. */
export type ArchiveStore = {
  readonly token: TokenStore['get'];
  readonly countWith: TokenStore['countWith'];
  readonly tokensWith: TokenStore['withTrait'];
  readonly lowestTrade: TradeStore['lowest'];
  readonly floors: HistoryStore['newest'];
};

export function createArchiveStore(table: Table): ArchiveStore {
  const tokens = createTokenStore(table);
  return {
    token: tokens.get,
    countWith: tokens.countWith,
    tokensWith: tokens.withTrait,
    lowestTrade: createTradeStore(table).lowest,
    floors: createHistoryStore(table).newest,
  };
}
