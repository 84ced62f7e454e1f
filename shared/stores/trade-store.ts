import * as z from 'zod';
import { type Low, lowestWithin, possibleLows } from '#shared/domain/archive/lows.ts';
import {
  createPositions,
  isOn,
  type Marketplace,
  type Trade,
  TradeRecord,
  tradeId,
} from '#shared/domain/archive/trade.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { SaleLog } from '#shared/use-cases/keep-sales.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';
import type { BulkTable } from './bulk-table.ts';
import { inParallel } from './in-parallel.ts';
import { readItem } from './read-item.ts';
import { beginningWith, type Item, type Key, queryAll, type Table } from './table.ts';

/**
 * The trades of the archive, by UTC day. Each day has an item with the trades that may be the
 * lowest trade of a window. A query reads the items of the days in its window, and then the lowest
 * trade.
 */
export type TradeStore = {
  /** The lowest trade between two instants at least a day apart, both inclusive. */
  readonly lowest: (
    contract: ContractKey,
    window: { readonly from: Instant; readonly to: Instant; readonly marketplace?: Marketplace },
  ) => Promise<TradeRecord | undefined>;
};

export type TradeArchive = {
  /**
   * Idempotent. If a trade is reported twice, the last report is stored. Returns the number of new
   * or different trades.
   */
  readonly putTrades: (trades: readonly Trade[]) => Promise<number>;
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
      return item === undefined ? undefined : readItem('trade', TradeItem, item).record;
    },
  };
}

export function createTradeArchive(table: BulkTable): TradeArchive {
  return {
    putTrades: async (trades) => {
      const items = new Map(trades.map(toItem).map((item) => [pathOf(item), item]));
      const known = await table.getAll([...items.values()]);
      const before = new Map(known.map((item) => [pathOf(item), item]));
      const changed = [...items].filter(([path, item]) => !isReported(item, before.get(path)));
      await table.putAll(changed.map(([, item]) => item));
      // Also settle the days of known trades, because their writer may have crashed before it
      // settled these days.
      await settleDays(table, trades);
      return changed.length;
    },
  };
}

/** Stores the sales that polls of a provider have read, in the archive of trades. */
export function createSaleLog(table: Table, provider: Provider): SaleLog {
  const spanKey = (contract: ContractKey): Key => ({
    pk: partitionOf(contract),
    sk: `SPAN#${provider}`,
  });
  return {
    lowest: createTradeStore(table).lowest,

    span: async (contract) => {
      const item = await table.get(spanKey(contract));
      return item === undefined ? undefined : readItem('saleSpan', SpanItem, item);
    },

    keep: async (contract, sales, { since, until }) => {
      const positionOf = createPositions();
      const trades = sales.map(({ mark, ...sale }) => {
        const position = positionOf(sale.record, mark);
        return { contract, order: 0, position, ...sale };
      });
      await inParallel(trades.map(toItem), SALES_AT_ONCE, (item) => table.put(item));
      await settleDays(table, trades);
      const span = { since: formatInstant(since), until: formatInstant(until) };
      await table.put({ ...spanKey(contract), ...span });
    },
  };
}

async function settleDays(table: Table, trades: readonly Trade[]): Promise<void> {
  const days = new Map(
    trades.map(({ contract, time }) => [`${contract} ${dayOf(time)}`, { contract, time }]),
  );
  await inParallel(days.values(), DAYS_AT_ONCE, async ({ contract, time }) => {
    await retryingConflicts(() => settleDay(table, partitionOf(contract), dayOf(time)));
  });
}

const SALES_AT_ONCE = 16;

const DAYS_AT_ONCE = 8;

/** Computes the lows of a day from all its trades. */
async function settleDay(table: Table, pk: string, day: string): Promise<void> {
  // Read these items before the trades, so that a concurrent settlement of the day causes a
  // conflict.
  const lists = await Promise.all(
    [ANY, ...MARKETPLACES].map(async (name) => {
      const sk = lowsKey(name, day);
      return { name, sk, item: await table.get({ pk, sk }) };
    }),
  );
  const items = await queryAll(table, pk, beginningWith(tradeKey(day, '')));
  for (const { name, sk, item } of lists) {
    const before = item === undefined ? NOT_SETTLED : readItem('lowsOfDay', DayItem, item);
    const trades = items.filter((trade) => name === ANY || trade.on === name);
    const lows = possibleLows(trades.map(lowOf)).map(toLowItem);
    if (JSON.stringify(lows) === JSON.stringify(before.lows.map(toLowItem))) continue;
    await table.put({ pk, sk, lows, version: before.version + 1 }, before.version);
  }
}

const ANY = 'any';
const MARKETPLACES: readonly Marketplace[] = ['opensea'];

const partitionOf = (contract: ContractKey) => `TRADES#${contract}`;
const tradeKey = (day: string, id: string) => `TRADE#${day}#${id}`;
const lowsKey = (marketplace: string, day: string) => `LOWS#${marketplace}#${day}`;
const dayOf = (instant: Instant) => formatInstant(instant).slice(0, 10);

const pathOf = ({ pk, sk }: Key) => `${pk} ${sk}`;

function toItem(trade: Trade) {
  const { contract, time, price, order, record } = trade;
  return {
    pk: partitionOf(contract),
    sk: tradeKey(dayOf(time), tradeId(trade)),
    time: formatInstant(time),
    price: price.toString(),
    order,
    on: MARKETPLACES.find((name) => isOn(name, trade)),
    record: JSON.stringify(record),
  };
}

/** Whether the stored item already has the same content. */
function isReported(item: ReturnType<typeof toItem>, before: Item | undefined): boolean {
  return before?.record === item.record && before.order === item.order && before.on === item.on;
}

function toLowItem({ time, price, order, id }: Low) {
  return { time: formatInstant(time), price: price.toString(), order, id };
}

const Moment = z.lazy(() => z.iso.datetime().transform((text) => Date.parse(text)));
const Money = z.lazy(() => z.string().regex(/^\d+$/).transform(BigInt));
const LowItem = z.lazy(() =>
  z.object({ time: Moment, price: Money, order: z.number(), id: z.string() }),
);
export const SpanItem = z.lazy(() => z.object({ since: Moment, until: Moment }));
export const DayItem = z.lazy(() => z.object({ lows: z.array(LowItem), version: z.int() }));
const NOT_SETTLED: z.output<typeof DayItem> = { lows: [], version: 0 };
export const TradeItem = z.lazy(() =>
  z.object({
    time: Moment,
    price: Money,
    order: z.number(),
    on: z.string().optional(),
    record: JsonText.pipe(TradeRecord),
  }),
);

const lowsIn = (item: Item): readonly Low[] => readItem('lowsOfDay', DayItem, item).lows;

function lowOf(item: Item): Low {
  const { time, price, order } = readItem('trade', TradeItem, item);
  return { time, price, order, id: item.sk.slice(item.sk.lastIndexOf('#') + 1) };
}
