import * as z from 'zod';
import { type Low, lowestWithin, lowsOf } from '#shared/domain/archive/lows.ts';
import {
  isOn,
  type Marketplace,
  type Trade,
  type TradeRecord,
  tradeId,
} from '#shared/domain/archive/trade.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import { retryingConflicts } from '#shared/domain/version-conflict.ts';
import type { BulkTable } from './bulk-table.ts';
import { readItem } from './read-item.ts';
import { beginningWith, type Item, queryAll, type Table } from './table.ts';

/**
 * The archive's trades, by UTC day. Each day has an item with those of its trades that can be the
 * lowest of a window, so that a window is as many items as it touches days, and the trade itself.
 */
export type TradeStore = {
  /** The lowest trade between two moments at least a day apart, both included. */
  readonly lowest: (
    contract: ContractKey,
    window: { readonly from: Instant; readonly to: Instant; readonly marketplace?: Marketplace },
  ) => Promise<TradeRecord | undefined>;
};

type TradeArchive = {
  /** Idempotent; the last of two tellings of one trade stays. */
  readonly putTrades: (trades: readonly Trade[]) => Promise<void>;
};

export function createTradeStore(table: Table): TradeStore {
  return {
    lowest: async (contract, { from, to, marketplace = ANY }) => {
      const pk = partitionOf(contract);
      const range = {
        from: lowsKey(marketplace, dayOf(from)),
        to: lowsKey(marketplace, dayOf(to)),
      };
      const days = await queryAll(table, pk, range);
      const lowest = lowestWithin(days.flatMap(lowsIn), from, to);
      if (lowest === undefined) return undefined;
      const sk = tradeKey(dayOf(lowest.time), lowest.id);
      const item = await table.get({ pk, sk });
      return item === undefined ? undefined : readItem(TradeItem, item).record;
    },
  };
}

export function createTradeArchive(table: BulkTable): TradeArchive {
  /** Works out anew what a day's lows are, from all its trades. */
  const settleDay = async (pk: string, day: string) => {
    const keys = [ANY, ...MARKETPLACES].map((name) => ({ pk, sk: lowsKey(name, day) }));
    const known = await Promise.all(keys.map((key) => table.get(key)));
    const items = await queryAll(table, pk, beginningWith(tradeKey(day, '')));
    for (const [index, name] of [ANY, ...MARKETPLACES].entries()) {
      const version = Number(known[index]?.version ?? 0);
      const trades = items.filter((item) => name === ANY || readItem(TradeItem, item).on === name);
      if (trades.length === 0 && version === 0) continue;
      const lows = lowsOf(trades.map(lowOf)).map(({ time, price, order, id }) => ({
        time: formatInstant(time),
        price: price.toString(),
        order,
        id,
      }));
      await table.put({ pk, sk: lowsKey(name, day), lows, version: version + 1 }, version);
    }
  };

  return {
    putTrades: async (trades) => {
      const items = new Map(trades.map(toItem).map((item) => [`${item.pk} ${item.sk}`, item]));
      await table.putAll([...items.values()]);
      const days = new Map(
        trades.map((trade) => [`${trade.contract} ${dayOf(trade.time)}`, trade]),
      );
      for (const { contract, time } of days.values()) {
        await retryingConflicts(() => settleDay(partitionOf(contract), dayOf(time)));
      }
    },
  };
}

const ANY = 'any';
const MARKETPLACES: readonly Marketplace[] = ['opensea'];

const partitionOf = (contract: ContractKey) => `TRADES#${contract}`;
const tradeKey = (day: string, id: string) => `TRADE#${day}#${id}`;
const lowsKey = (marketplace: string, day: string) => `LOWS#${marketplace}#${day}`;
const dayOf = (instant: Instant) => formatInstant(instant).slice(0, 10);

function toItem(trade: Trade) {
  const { contract, time, price, order, record } = trade;
  return {
    pk: partitionOf(contract),
    sk: tradeKey(dayOf(time), tradeId(trade)),
    time: formatInstant(time),
    price: price.toString(),
    order,
    on: MARKETPLACES.find((name) => isOn(name, trade)),
    record,
  };
}

const Moment = z.iso.datetime().transform((text) => Date.parse(text));
const Money = z.string().regex(/^\d+$/).transform(BigInt);
const LowItem = z.object({ time: Moment, price: Money, order: z.number(), id: z.string() });
const DayItem = z.object({ lows: z.array(LowItem) });
const TradeItem = z.object({
  time: Moment,
  price: Money,
  order: z.number(),
  on: z.string().optional(),
  record: z.object({
    token_address: z.string(),
    transaction_hash: z.string(),
    transaction_index: z.string(),
    token_ids: z.array(z.string()),
    seller_address: z.string(),
    buyer_address: z.string(),
    marketplace_address: z.string(),
    price: z.string(),
    block_timestamp: z.string(),
    block_number: z.string(),
    block_hash: z.string(),
  }),
});

const lowsIn = (item: Item): readonly Low[] => readItem(DayItem, item).lows;

function lowOf(item: Item): Low {
  const { time, price, order } = readItem(TradeItem, item);
  return { time, price, order, id: item.sk.split('#').at(-1) ?? '' };
}
