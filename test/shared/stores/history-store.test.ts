import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, formatInstant, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { withoutGlitches } from '#shared/domain/market/outlier.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { createFloorArchive, createHistoryStore } from '#shared/stores/history-store.ts';
import { queryAll, type Table } from '#shared/stores/table.ts';
import { APES, aPrice, aTrade, eth, instant, NOON, PUNKS } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';

const MORNING = instant('2026-11-20T08:30:00.250Z');
const EVENING = instant('2026-11-20T23:59:59.999Z');
const MIDNIGHT = instant('2026-11-21T00:00:00.000Z');

describe.each(ENGINES)('the history in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it('stores a point with every member, once by its time and once as the last of its day', async () => {
    const table = await engine.createTable();
    const point = aTrade('59.9', MORNING, { time: EVENING, usd: 10n ** 37n + 1n, source: '0xab' });

    await createHistoryStore(table).record(PUNKS, 'lowest.7d', [point]);

    const recorded = {
      pk: `HISTORY#${PUNKS}`,
      time: formatInstant(EVENING),
      price: '59900000000000000000',
      currency: 'eth',
      usd: `1${'0'.repeat(36)}1`,
      source: '0xab',
      tradedAt: formatInstant(MORNING),
    };
    expect(await historyOf(table)).toEqual([
      { ...recorded, sk: 'lowest.7d#D#2026-11-20' },
      { ...recorded, sk: 'lowest.7d#H#2026-11-20T23:59:59.999Z', ttl: expect.any(Number) },
    ]);
  });

  it('returns a long range in time order, starting with the value that held at its beginning', async () => {
    const history = createHistoryStore(await engine.createTable());
    const days = [50, 36, 35, 34, 28, 21, 14, 7, 1, 0];
    const points = days.map((day, index) => aPrice(`6${index}`, { time: NOON - day * 24 * HOUR }));
    await history.record(PUNKS, 'floor', points);

    const from = NOON - 36 * 24 * HOUR;
    const all = await history.between(PUNKS, 'floor', 0, NOON);
    const within = await history.between(PUNKS, 'floor', from, NOON - 24 * HOUR);
    const later = await history.between(PUNKS, 'floor', from + 1, NOON - 24 * HOUR);
    const none = await history.between(PUNKS, 'floor', NOON, NOON - 1);

    const prices = (some: readonly PricePoint[]) => some.map(({ price }) => price);
    expect(prices(all)).toEqual(prices(points));
    expect(prices(within)).toEqual(prices(points.slice(0, -1)));
    expect(prices(later)).toEqual(prices(points.slice(1, -1)));
    expect(none).toEqual([]);
  });

  it('stores no attribute for an unknown member of a point', async () => {
    const table = await engine.createTable();

    await createHistoryStore(table).record(PUNKS, 'floor', [aPrice('60', { time: MORNING })]);

    const [day] = await historyOf(table);
    expect(Object.keys(day ?? {}).toSorted()).toEqual(['currency', 'pk', 'price', 'sk', 'time']);
  });

  it('stores the last revision of a point, in whatever order its writes arrive', async () => {
    const table = await engine.createTable();
    const waiting: (() => Promise<void>)[] = [];
    const lastFirst: Table = {
      ...table,
      put: (item) =>
        new Promise((resolve, reject) => {
          waiting.unshift(() => table.put(item).then(resolve, reject));
        }),
    };

    const points = ['60', '61'].map((price) => aPrice(price, { time: MORNING }));
    const recorded = createHistoryStore(lastFirst).record(PUNKS, 'floor', points);
    for (const write of waiting) await write();
    await recorded;

    const since = await createHistoryStore(table).since(PUNKS, 'floor', MORNING);
    expect(since.map(({ price }) => price)).toEqual([eth('61')]);
  });

  it('keeps an accepted floor, even if a stalled worker later records it as a suspect', async () => {
    const history = createHistoryStore(await engine.createTable());
    const suspect = aPrice('30', { time: NOON, observedAs: 'suspect' });
    const floor = aPrice('30', { time: NOON, observedAs: 'price' });
    const later = aPrice('31', { time: NOON + HOUR, observedAs: 'price' });
    const recorded = () => history.between(PUNKS, 'floor', NOON, NOON + HOUR);

    await history.record(PUNKS, 'floor', [suspect]);
    const first = await recorded();
    await history.record(PUNKS, 'floor', [floor]);
    await history.record(PUNKS, 'floor', [later]);
    await history.record(PUNKS, 'floor', [suspect]);

    expect(first).toEqual([suspect]);
    expect(await recorded()).toEqual([floor, later]);
    expect(
      await history.newest(PUNKS, 'floor', {
        ...{ from: NOON - DAY, to: NOON + DAY, each: 'day', limit: 9 },
      }),
    ).toEqual([later]);
  });

  it('keeps every point for 35 days, and the last of each UTC day forever', async () => {
    const table = await engine.createTable();
    const history = createHistoryStore(table);

    for (const time of [MORNING, EVENING, MIDNIGHT]) {
      await history.record(PUNKS, 'floor', [aPrice('60', { time })]);
    }

    const kept = await historyOf(table);
    const ttlOf = (time: number) => Math.floor(time / 1000) + 35 * 24 * 3600;
    expect(kept.map(({ sk, time, ttl }) => [sk, time, ttl])).toEqual([
      ['floor#D#2026-11-20', formatInstant(EVENING), undefined],
      ['floor#D#2026-11-21', formatInstant(MIDNIGHT), undefined],
      ['floor#H#2026-11-20T08:30:00.250Z', formatInstant(MORNING), ttlOf(MORNING)],
      ['floor#H#2026-11-20T23:59:59.999Z', formatInstant(EVENING), ttlOf(EVENING)],
      ['floor#H#2026-11-21T00:00:00.000Z', formatInstant(MIDNIGHT), ttlOf(MIDNIGHT)],
    ]);
  });

  it("stores all points of a day that are recorded together, and the latest as the day's point", async () => {
    const table = await engine.createTable();
    const points = [aPrice('61', { time: EVENING }), aPrice('60', { time: MORNING })];

    await createHistoryStore(table).record(PUNKS, 'floor', points);

    const kept = await historyOf(table);
    expect(kept.map(({ sk, price }) => [sk, price])).toEqual([
      ['floor#D#2026-11-20', '61000000000000000000'],
      ['floor#H#2026-11-20T08:30:00.250Z', '60000000000000000000'],
      ['floor#H#2026-11-20T23:59:59.999Z', '61000000000000000000'],
    ]);
  });

  it('returns the point that applies at an instant, the point before it, and all later points', async () => {
    const table = await engine.createTable();
    const history = createHistoryStore(table);
    const points = [MORNING, EVENING, MIDNIGHT].map((time) => aPrice('60', { time }));
    await history.record(PUNKS, 'floor', points);

    for (const instant of [MORNING - 1, MORNING, EVENING, MIDNIGHT + 1]) {
      expect(await history.since(PUNKS, 'floor', instant)).toEqual(points);
    }
  });

  it('a backfill keeps the decision about a floor, unless the source reports another price', async () => {
    const table = await engine.createTable();
    const history = createHistoryStore(table);
    const [first, second] = [MORNING, EVENING].map((time) =>
      aPrice('60', { time, observedAs: 'price', confirmedBy: 'coingecko' }),
    ) as [PricePoint, PricePoint];
    await history.record(PUNKS, 'floor', [first, second]);

    const filled = [
      aPrice('59', { time: MORNING - HOUR }),
      aPrice('60', { time: MORNING, source: 'blur' }),
      aPrice('61', { time: EVENING }),
    ];
    await history.fill(PUNKS, filled);
    await history.fill(PUNKS, [aPrice('62', { time: MORNING, source: 'opensea' })]);
    await history.fill(PUNKS, []);

    expect(await history.since(PUNKS, 'floor', MORNING - HOUR)).toEqual(
      filled.map((point, index) =>
        index === 1 ? { ...point, observedAs: 'price', confirmedBy: 'coingecko' } : point,
      ),
    );
  });

  it('finds the same glitches wherever the read range starts', async () => {
    const table = await engine.createTable();
    const history = createHistoryStore(table);
    const prices = ['60', '61', '30', '60', '30', '60', '59', '25', '58', '57'];
    const points = prices.map((price, hour) => aPrice(price, { time: MORNING + hour * HOUR }));
    await history.record(PUNKS, 'floor', points);
    const hoursOf = (floors: readonly PricePoint[]) =>
      floors.map(({ time }) => (time - MORNING) / HOUR);
    const kept = withoutGlitches(points);

    expect(hoursOf(kept)).toEqual([0, 1, 3, 5, 6, 8, 9]);
    for (const { time } of points) {
      const recorded = withoutGlitches(await history.since(PUNKS, 'floor', time));
      const isSince = (point: PricePoint) => point.time >= time;
      expect(hoursOf(recorded.filter(isSince))).toEqual(hoursOf(kept.filter(isSince)));
    }
  });

  it('reads the history back to the last floor that two sources confirmed', async () => {
    const table = await engine.createTable();
    const history = createHistoryStore(table);
    const agreed = aPrice('60', { time: MORNING, confirmedBy: 'coingecko' });
    const alone = Array.from({ length: 200 }, (_, index) =>
      aPrice('61', { time: MORNING + (index + 1) * MINUTE }),
    );
    await history.record(PUNKS, 'floor', [agreed, ...alone]);

    const read = await history.since(PUNKS, 'floor', EVENING, { held: 'agreed' });

    expect(read.filter(({ confirmedBy }) => confirmedBy !== undefined)).toEqual([agreed]);
    expect((await history.since(PUNKS, 'floor', EVENING)).length).toBeLessThan(10);
  });

  it("uses the day's last point for a time whose hourly points have expired", async () => {
    const table = await engine.createTable();
    const [day] = await recordedAlone(table, aPrice('70', { time: EVENING }));
    const later = aPrice('60', { time: MIDNIGHT + 1 });
    await createHistoryStore(table).record(PUNKS, 'floor', [later]);

    const { since } = createHistoryStore(table);
    expect(day?.sk).toBe('floor#D#2026-11-20');
    expect(await since(PUNKS, 'floor', MIDNIGHT)).toEqual([aPrice('70', { time: EVENING }), later]);
    expect(await since(PUNKS, 'floor', EVENING - 1)).toEqual([later]);
  });

  it('changes nothing if a point is recorded again', async () => {
    const table = await engine.createTable();
    const history = createHistoryStore(table);
    await history.record(PUNKS, 'floor', [aPrice('60', { time: MORNING })]);
    const once = await historyOf(table);

    await history.record(PUNKS, 'floor', [aPrice('60', { time: MORNING })]);

    expect(await historyOf(table)).toEqual(once);
  });

  it('stores the history of each contract and price series separately', async () => {
    const table = await engine.createTable();
    const history = createHistoryStore(table);

    await history.record(PUNKS, 'floor', [aPrice('60', { time: MORNING })]);
    await history.record(PUNKS, 'lowest.7d', [aPrice('50', { time: MORNING })]);
    await history.record(APES, 'floor', [aPrice('40', { time: MORNING })]);

    const prices = (await historyOf(table)).map(({ sk, price }) => [sk, price]);
    expect(prices).toEqual([
      ['floor#D#2026-11-20', '60000000000000000000'],
      ['floor#H#2026-11-20T08:30:00.250Z', '60000000000000000000'],
      ['lowest.7d#D#2026-11-20', '50000000000000000000'],
      ['lowest.7d#H#2026-11-20T08:30:00.250Z', '50000000000000000000'],
    ]);
  });
});

describe.each(ENGINES)('imported floors in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  const floor = (price: string, time: number) => ({
    contract: PUNKS,
    point: aPrice(price, { time }),
  });
  const LONG_AGO = instant('2021-08-03T00:00:00Z');

  it('stores imported floors like recorded ones', async () => {
    const [imported, recorded] = await Promise.all([engine.createTable(), engine.createTable()]);
    const floors = [MORNING, EVENING, MIDNIGHT].map((time) => floor('60', time));

    expect(await createFloorArchive(imported).putFloors(floors, NOON)).toBe(3);
    await createHistoryStore(recorded).record(
      PUNKS,
      'floor',
      floors.map(({ point }) => point),
    );

    expect(await historyOf(imported)).toEqual(await historyOf(recorded));
  });

  it("stores only the day's last floor of an old import", async () => {
    const table = await engine.createTable();
    const floors = ['60', '61'].map((price, hour) => floor(price, LONG_AGO + hour));

    await createFloorArchive(table).putFloors(floors, NOON);

    expect((await historyOf(table)).map(({ sk, price }) => [sk, price])).toEqual([
      ['floor#D#2021-08-03', '61000000000000000000'],
    ]);
  });

  it('never replaces a later floor of the day with an imported one', async () => {
    const table = await engine.createTable();
    const { putFloors } = createFloorArchive(table);
    await createHistoryStore(table).record(PUNKS, 'floor', [aPrice('70', { time: EVENING })]);

    expect(await putFloors([floor('60', MORNING)], NOON)).toBe(1);
    expect(await putFloors([floor('50', LONG_AGO + 2)], NOON)).toBe(1);
    expect(await putFloors([floor('40', LONG_AGO + 1)], NOON)).toBe(0);

    expect((await historyOf(table)).map(({ sk, price }) => [sk, price])).toEqual([
      ['floor#D#2021-08-03', '50000000000000000000'],
      ['floor#D#2026-11-20', '70000000000000000000'],
      ['floor#H#2026-11-20T08:30:00.250Z', '60000000000000000000'],
      ['floor#H#2026-11-20T23:59:59.999Z', '70000000000000000000'],
    ]);
  });

  it('writes an imported floor again only if it changed', async () => {
    const table = await engine.createTable();
    const floors = [floor('60', MORNING), floor('61', LONG_AGO)];
    const { putFloors } = createFloorArchive(table);
    await putFloors(floors, NOON);
    const putAll = async (items: readonly object[]) => expect(items).toEqual([]);

    expect(await createFloorArchive({ ...table, putAll }).putFloors(floors, NOON)).toBe(0);
    expect(await putFloors([floor('62', LONG_AGO), floor('60', MORNING)], NOON)).toBe(1);
  });
});

/** Records a point and expires it, so that only the day's point is left. */
async function recordedAlone(table: Table, point: PricePoint) {
  await createHistoryStore(table).record(PUNKS, 'floor', [point]);
  const [day, hour] = await historyOf(table);
  await table.put({ pk: `HISTORY#${PUNKS}`, sk: hour?.sk ?? '', version: 1 });
  await table.delete({ pk: `HISTORY#${PUNKS}`, sk: hour?.sk ?? '' }, 1);
  return [day];
}

function historyOf(table: Table) {
  return queryAll(table, `HISTORY#${PUNKS}`, { from: ' ', to: '~' });
}
