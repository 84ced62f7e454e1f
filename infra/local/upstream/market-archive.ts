import { createMemoryTable } from '#infra/local/memory-table.ts';
import type { Token } from '#shared/domain/archive/token.ts';
import type { Trade } from '#shared/domain/archive/trade.ts';
import { type ContractKey, contractOf } from '#shared/domain/market/contract.ts';
import { unitOf } from '#shared/domain/market/currency.ts';
import { readDecimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createTokenArchive } from '#shared/stores/token-store.ts';
import { createTradeArchive } from '#shared/stores/trade-store.ts';
import {
  type Floor,
  isPaidInEth,
  type MarketSource,
  type Trade as MarketTrade,
  priceOf,
  type TokenRecord,
} from './market-source.ts';

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
      await tokens.putTokens(source.tokens(contract).map((record) => tokenOf(contract, record)));
    }
    const floors = Array.from(source.floors(contract, since, until), pointOf);
    await history.record(contract, 'floor', floors);
    const sales = Array.from(source.trades(contract, since, until))
      .filter(isPaidInEth)
      .map((trade, order) => tradeOf(contract, trade, order));
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

function tokenOf(contract: ContractKey, { chain, token_id, ...record }: TokenRecord): Token {
  return { contract, id: BigInt(token_id), record };
}

function pointOf({ time, record }: Floor): PricePoint {
  const usd = readDecimal(record.floor_price_usd ?? '');
  return {
    kind: 'price',
    time,
    price: readDecimal(record.floor_price) ?? 0n,
    currency: unitOf(record.currency),
    source: record.marketplace.map(({ name }) => name).join(', '),
    ...(usd === undefined ? {} : { usd }),
  };
}

function tradeOf(contract: ContractKey, trade: MarketTrade, order: number): Trade {
  const { chain, payment_token, ...record } = trade.record;
  const { address: token_address } = contractOf(contract);
  return {
    contract,
    time: trade.time,
    price: priceOf(trade),
    order,
    record: { ...record, token_address },
  };
}
