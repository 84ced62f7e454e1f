import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { DAY, HOUR } from '#shared/domain/market/instant.ts';
import type { BulkTable } from '#shared/stores/bulk-table.ts';
import { createTradeArchive, createTradeStore } from '#shared/stores/trade-store.ts';
import { aSale } from '#test/support/archive.ts';
import { APES, instant, NOON, PUNKS } from '#test/support/builders.ts';
import { countingCalls } from '#test/support/counting-calls.ts';
import { ENGINES } from '#test/support/engines.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

const OPENSEA = '0x7f268357a8c2552623316e2562d90e642bb538e5';
const WEEK = { from: NOON - 7 * DAY, to: NOON };

describe.each(ENGINES)('trades in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  const world = async (trades: Parameters<typeof aSale>[]) => {
    const table = await engine.createTable();
    await createTradeArchive(table).putTrades(trades.map((sale) => aSale(...sale)));
    return { table, lowest: createTradeStore(table).lowest };
  };

  it('finds the lowest trade of a window that includes both ends', async () => {
    const { lowest } = await world([
      [9, NOON - HOUR],
      [5, WEEK.from, { token_ids: ['1', '2'], block_hash: '' }],
      [1, WEEK.from - 1],
      [2, WEEK.to + 1],
    ]);

    const sale = aSale(5, WEEK.from, { token_ids: ['1', '2'] });
    expect(await lowest(PUNKS, WEEK)).toEqual(sale.record);
    expect((await lowest(PUNKS, { ...WEEK, from: WEEK.from + 1 }))?.price).toBe('9');
    expect(await lowest(APES, WEEK)).toBeUndefined();
  });

  it('finds no lowest trade in a window without trades', async () => {
    const { lowest } = await world([[1, NOON - 8 * DAY]]);

    expect(await lowest(PUNKS, WEEK)).toBeUndefined();
  });

  it('returns the earliest of equally low trades, by time and then by order', async () => {
    const midnight = instant('2026-11-20T00:00:00Z');
    const { lowest } = await world([
      [7, midnight, { order: 3, token_ids: ['third'] }],
      [7, midnight + HOUR, { token_ids: ['later'] }],
      [7, midnight, { order: 2, token_ids: ['second'] }],
    ]);

    expect((await lowest(PUNKS, WEEK))?.token_ids).toEqual(['second']);
  });

  it('finds the lowest trade of one marketplace', async () => {
    const { lowest } = await world([
      [3, NOON - HOUR],
      [4, NOON - HOUR, { marketplace_address: OPENSEA }],
    ]);

    expect((await lowest(PUNKS, { ...WEEK, marketplace: 'opensea' }))?.price).toBe('4');
    expect((await lowest(PUNKS, WEEK))?.price).toBe('3');
  });

  it('stores both sales of an edition that have the same owners and the same transaction', async () => {
    const edition = { transaction_hash: '0xab', token_ids: ['5'] };
    const table = await engine.createTable();
    const { lowest } = createTradeStore(table);
    const sales = [aSale(3, NOON - HOUR, edition), aSale(9, NOON - HOUR, edition)];

    expect(await createTradeArchive(table).putTrades(sales)).toBe(2);
    expect((await lowest(PUNKS, WEEK))?.price).toBe('3');
  });

  it('replaces a trade that a source reports again', async () => {
    const edition = { transaction_hash: '0xab', token_ids: ['5'] };
    const { table, lowest } = await world([[3, NOON - HOUR, edition]]);
    const again = aSale(3, NOON - HOUR, { ...edition, block_hash: '0xcd' });

    expect(await createTradeArchive(table).putTrades([again])).toBe(1);
    expect((await lowest(PUNKS, WEEK))?.block_hash).toBe('0xcd');
  });

  it('does not write trades that are already stored', async () => {
    const sales = [aSale(3, NOON), aSale(4, NOON, { marketplace_address: OPENSEA })];
    const table = await engine.createTable();

    expect(await createTradeArchive(table).putTrades(sales)).toBe(2);
    const { calls, table: counted } = countingCalls(table);
    const putAll: BulkTable['putAll'] = async (items) => expect(items).toEqual([]);
    expect(await createTradeArchive({ ...table, ...counted, putAll }).putTrades(sales)).toBe(0);
    expect(calls.get('put')).toBeUndefined();
  });

  it('updates the lowest trades of a day when a crashed import is repeated', async () => {
    const table = await engine.createTable();
    const put = () => Promise.reject(new Error('died'));
    const sales = [aSale(3, NOON - HOUR)];
    await expect(createTradeArchive({ ...table, put }).putTrades(sales)).rejects.toThrow('died');

    await createTradeArchive(table).putTrades(sales);

    expect((await createTradeStore(table).lowest(PUNKS, WEEK))?.price).toBe('3');
  });

  it('loses no trade if several writers store trades of one day concurrently', async () => {
    const table = await engine.createTable();

    await Promise.all(
      [5, 3, 4].map((price) => createTradeArchive(table).putTrades([aSale(price, NOON - price)])),
    );

    const { lowest } = createTradeStore(table);
    expect((await lowest(PUNKS, { from: NOON - DAY, to: NOON }))?.price).toBe('3');
    expect((await lowest(PUNKS, { from: NOON - DAY, to: NOON - 4 }))?.price).toBe('4');
  });

  it('finds the same lowest trade as a scan of all trades, for windows of whole days', async () => {
    const random = createSeededRandom(7);
    const sales = Array.from({ length: 400 }, (_, order) =>
      aSale(1 + random.below(20), NOON - random.below(20) * DAY + random.below(24) * HOUR, {
        order,
      }),
    );
    const table = await engine.createTable();
    await createTradeArchive(table).putTrades(sales);
    const { lowest } = createTradeStore(table);

    for (let round = 0; round < 100; round += 1) {
      const to = NOON - random.below(20 * 24) * HOUR - random.below(2);
      const from = to - (1 + random.below(9)) * DAY;
      const [expected] = sales
        .filter(({ time }) => time >= from && time <= to)
        .toSorted((a, b) => Number(a.price - b.price) || a.time - b.time || a.order - b.order);

      expect(await lowest(PUNKS, { from, to })).toEqual(expected?.record);
    }
  });
});

it.each([1, 7, 30, 365])(
  'reads at most %i + 2 items for the lowest trade of a window of that many days',
  async (days) => {
    const table = createMemoryTable();
    const sales = Array.from({ length: 370 }, (_, day) =>
      [1, 2, 3].map((hour) => aSale(1000 - day - hour, NOON - day * DAY - hour * HOUR)),
    );
    await createTradeArchive(table).putTrades(sales.flat());
    let read = 0;
    const counted = createTradeStore({
      ...table,
      get: async (key) => {
        read += 1;
        return await table.get(key);
      },
      query: async (query) => {
        const page = await table.query(query);
        read += page.entries.length;
        return page;
      },
    });

    await counted.lowest(PUNKS, { from: NOON - days * DAY, to: NOON });

    expect(read).toBeLessThanOrEqual(days + 2);
    expect(read).toBeGreaterThan(days);
  },
);
