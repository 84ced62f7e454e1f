import { describe, expect, it } from 'vitest';
import { DAY, formatInstant, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { queryAll } from '#shared/stores/table.ts';
import {
  aContractRecord,
  anAnsweredRecord,
  aPrice,
  aTrade,
  aWatchlist,
  eth,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';
import { world } from './world.ts';

const PRICES = 'GET /v1/contracts/{contract}/prices';

type Point = { readonly time: string; readonly price: string; readonly outlier: boolean };

/** A world whose tenant watches the Punks, with these recorded floors. */
async function recorded(floors: readonly PricePoint[]) {
  const fixture = world();
  await fixture.watchlists.put(aWatchlist());
  await fixture.history.record(PUNKS, 'floor', floors);
  const read = async (query: Readonly<Record<string, string>> = {}) => {
    const { status, body } = await fixture.ask(PRICES, { path: { contract: PUNKS }, query });
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  return { ...fixture, read };
}

const pricesOf = ({ points }: { readonly points: readonly Point[] }) =>
  points.map(({ price }) => price);

const hourly = [4, 3, 2, 1].map((hours) => aPrice(`6${hours}`, { time: NOON - hours * HOUR }));

/** A slightly varying floor every five minutes. */
const everyFiveMinutes = (from: Instant, count: number) =>
  Array.from({ length: count }, (_, index) =>
    aPrice(`60.${index % 7}`, { time: from + index * 5 * MINUTE }),
  );

describe('the price history', () => {
  it('the price history is sorted by time, and has dollars and source if they are known', async () => {
    const known = aPrice('60', { time: NOON - 5 * HOUR, usd: eth('180000.25'), source: 'opensea' });
    const { read } = await recorded([known, ...hourly]);

    const body = await read();

    expect(body).toMatchObject({ contract: PUNKS, series: 'floor', thinned: false });
    expect(pricesOf(body)).toEqual(['60', '64', '63', '62', '61']);
    expect(body.points[0]).toEqual({
      ...{ time: formatInstant(NOON - 5 * HOUR), price: '60', currency: 'eth' },
      ...{ usd: '180000.25', source: 'opensea', tradedAt: null, outlier: false },
    });
  });

  it('the price history of a span includes both ends, and the last price before the span', async () => {
    const { read } = await recorded(hourly);
    const to = formatInstant(NOON - 2 * HOUR);

    const within = await read({ from: formatInstant(NOON - 3 * HOUR), to });
    const between = await read({ from: formatInstant(NOON - 3 * HOUR + 1), to });
    const ever = await read({ to });

    expect(pricesOf(within)).toEqual(['64', '63', '62']);
    expect(pricesOf(between)).toEqual(['63', '62']);
    expect(pricesOf(ever)).toEqual(['64', '63', '62']);
  });

  it('the price history of another series is selected with ?series=', async () => {
    const { history, read } = await recorded(hourly);
    const sale = aTrade('55', NOON - DAY, { source: '0xabc' });
    await history.record(PUNKS, 'lowest.7d', [sale]);

    const { points } = await read({ series: 'lowest.7d' });

    const time = formatInstant(NOON - DAY);
    expect(points).toEqual([
      {
        time,
        price: '55',
        currency: 'eth',
        usd: null,
        source: '0xabc',
        tradedAt: time,
        outlier: false,
      },
    ]);
  });

  it('the price history has every price of the last 35 days, and the last price of each older day', async () => {
    const { table, read } = await recorded([
      aPrice('50', { time: NOON - 300 * DAY - HOUR }),
      aPrice('51', { time: NOON - 300 * DAY }),
      ...hourly,
    ]);
    const hours = { from: 'floor#H#', to: `floor#H#${formatInstant(NOON - 36 * DAY)}` };
    for (const item of await queryAll(table, `HISTORY#${PUNKS}`, hours)) {
      await table.deleteAll([item]);
    }

    expect(pricesOf(await read())).toEqual(['51', '64', '63', '62', '61']);
  });

  it('the price history is thinned to the requested number of points, and keeps every extreme exactly', async () => {
    const from = NOON - 30 * DAY;
    const floors = everyFiveMinutes(from, 30 * 288)
      .with(1234, aPrice('44.123456789012345678', { time: from + 1234 * 5 * MINUTE }))
      .with(1235, aPrice('45', { time: from + 1235 * 5 * MINUTE }))
      .with(7001, aPrice('77.7', { time: from + 7001 * 5 * MINUTE }));
    const { read } = await recorded(floors);

    const body = await read({ points: '100' });

    expect(body.thinned).toBe(true);
    expect(body.points.length).toBeGreaterThan(50);
    expect(body.points.length).toBeLessThanOrEqual(100);
    const at = (index: number) => formatInstant(from + index * 5 * MINUTE);
    expect(body.points).toContainEqual(
      expect.objectContaining({ time: at(1234), price: '44.123456789012345678' }),
    );
    expect(body.points).toContainEqual(expect.objectContaining({ time: at(7001), price: '77.7' }));
    expect(body.points[0].time).toBe(at(0));
    expect(body.points.at(-1).time).toBe(at(30 * 288 - 1));
  });

  it('the price history marks the floors that rules ignore as outliers', async () => {
    const { read } = await recorded([
      ...hourly,
      aPrice('20', { time: NOON - 30 * MINUTE }),
      aPrice('61.5', { time: NOON - 20 * MINUTE }),
    ]);

    const { points } = await read();

    const ignored = points.filter(({ outlier }: Point) => outlier);
    expect(pricesOf({ points: ignored })).toEqual(['20']);
  });

  it('the price history reports gaps: past times without floors, and the current failure of the provider', async () => {
    const { contracts, read } = await recorded(hourly);
    const since = NOON - 30 * MINUTE;
    const floor = { outcome: 'failed', reason: 'timeout', since, noDataSince: since } as const;
    const past = { since: NOON - 2 * HOUR };
    await contracts.put(aContractRecord({ version: 0, series: { floor }, past }));

    const now = await read();
    const then = await read({ to: formatInstant(NOON - HOUR) });

    const missing = {
      ...{ from: formatInstant(NOON - 3 * HOUR), to: formatInstant(NOON - 2 * HOUR) },
      reason: 'no floors were recorded in this period',
    };
    expect(now.gaps).toEqual([
      missing,
      { from: formatInstant(since), to: null, reason: 'the provider did not respond in time' },
    ]);
    expect(then.gaps).toEqual([missing]);
  });

  it('the price history reports since when providers disagree', async () => {
    const { contracts, read } = await recorded(hourly);
    const since = NOON - 30 * MINUTE;
    const { series, ...record } = anAnsweredRecord('floor', aPrice('61', { time: NOON - HOUR }));
    const reason = '61 ETH, and 40 ETH of coingecko';
    const floor = { ...series.floor, outcome: 'disputed', reason, disputedSince: since } as const;
    await contracts.put({ ...record, version: 0, series: { floor } });

    const { gaps, disputes } = await read();

    expect(gaps).toEqual([]);
    expect(disputes).toEqual([
      { from: formatInstant(since), to: null, reason: `the providers disagree: ${reason}` },
    ]);
  });

  it('the price history of a span that ends before it begins is refused', async () => {
    const { ask } = await recorded(hourly);
    const query = { from: formatInstant(NOON), to: formatInstant(NOON - 1) };

    const { status, body } = await ask(PRICES, { path: { contract: PUNKS }, query });

    expect([status, body.errors[0].pointer]).toEqual([400, '?to']);
  });

  it('the price history of a year needs fewer than 12 queries', async () => {
    const reads: string[] = [];
    const { table, history } = world();
    const from = NOON - 365 * DAY;
    await history.record(
      PUNKS,
      'floor',
      Array.from({ length: 365 }, (_, day) => aPrice('60', { time: from + day * DAY })),
    );
    const counting = {
      ...table,
      query: async (query: Parameters<typeof table.query>[0]) => {
        reads.push(query.range.from);
        return await table.query(query);
      },
    };
    const points = await createHistoryStore(counting).between(PUNKS, 'floor', from, NOON);

    expect(points).toHaveLength(365);
    expect(reads.length).toBeLessThan(12);
  });
});
