import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { importData } from '#infra/operate/import/import-data.ts';
import { DAY, formatInstant, HOUR } from '#shared/domain/market/instant.ts';
import { createFloorArchive } from '#shared/stores/history-store.ts';
import { createImportStore } from '#shared/stores/import-store.ts';
import { createTokenArchive } from '#shared/stores/token-store.ts';
import { createTradeArchive } from '#shared/stores/trade-store.ts';
import { instant, NOON } from '#test/support/builders.ts';
import { FLOORS, idsOf, LOWEST, serveArchive } from '#test/support/nft-archive.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

const realData = join(process.cwd(), '..', 'shared', 'data');
const isPresent = existsSync(realData);
if (!isPresent) process.emitWarning(`skipped: no real data at ${realData}`);

type Floor = Readonly<Record<'timestamp' | 'floor_price' | 'floor_price_usd', string>>;
type Sale = { readonly price: bigint; readonly time: number; readonly line: string };

describe.skipIf(!isPresent)(`the real data (skipped without ${realData})`, () => {
  const table = createMemoryTable();
  const { ask, search, searchAll, clock } = serveArchive(table);
  const archive = {
    ...createFloorArchive(table),
    ...createTradeArchive(table),
    ...createTokenArchive(table),
  };
  const bad: number[] = [];
  let sales: readonly Sale[] = [];
  let floors: readonly Floor[] = [];
  let totals: Awaited<ReturnType<typeof importData>>;

  beforeAll(async () => {
    totals = await importData(
      {
        archive,
        progress: createImportStore(table),
        now: () => NOON,
        report: (event) => {
          if (event.event === 'bad_line') bad.push(event.line);
        },
      },
      realData,
    );
    const reported = await linesOf('cryptopunks/trades.jsonl.gz');
    sales = reported.map((line) => {
      const { price, block_timestamp } = JSON.parse(line);
      return { price: BigInt(price), time: Date.parse(`${block_timestamp}Z`), line };
    });
    floors = (await linesOf('cryptopunks/floors.jsonl.gz')).map((line) => JSON.parse(line));
  });

  /** The lowest sale, found by one pass over the file, or the first of several equal ones. */
  const lowestByOnePass = (from: number, to: number): Sale | undefined => {
    let lowest: Sale | undefined;
    for (const sale of sales) {
      const isWithin = sale.time >= from && sale.time <= to;
      if (isWithin && (lowest === undefined || sale.price < lowest.price)) lowest = sale;
    }
    return lowest;
  };

  const expectLowest = async (to: number, days: number) => {
    clock.now = to;
    const { status, body } = await ask(LOWEST, { query: { days: `${days}` } });
    const lowest = lowestByOnePass(to - days * DAY, to);
    const window = `${days} days to ${formatInstant(to)}`;
    if (lowest === undefined) {
      expect([status, body.type], window).toEqual([404, 'urn:floorwatch:problem:no_trade']);
    } else {
      const { chain, payment_token, ...record } = JSON.parse(lowest.line);
      expect([status, body], window).toEqual([200, record]);
    }
    return lowest;
  };

  it('the archive contains all real data except nine bad lines', () => {
    const none = { unchanged: 0, before: 0, leftOut: 0, bad: 0 };
    expect(totals).toEqual({
      tokens: { ...none, lines: 20_624, written: 20_624 },
      trades: { ...none, lines: 17_124 + 2_099 + 9, written: 17_124 + 2_099, bad: 9 },
      floors: { ...none, lines: 241, written: 241 },
    });
    expect(bad).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it.each([
    { trait: 'alien', count: 9, sizes: [1, 2, 8, 9, 10, 100] },
    { trait: 'ape', count: 24, sizes: [1, 5, 24, 25, 100] },
    { trait: 'zombie', count: 88, sizes: [7, 44, 87, 88, 89, 100] },
  ])(
    'the archive holds $count punks of type $trait, each once, in pages of any size',
    async (punks) => {
      for (const limit of punks.sizes) {
        const pages = await searchAll({ body: punks.trait }, { limit: `${limit}` });
        const ids = idsOf(...pages);

        expect(ids).toHaveLength(punks.count);
        expect(new Set(ids).size).toBe(punks.count);
        expect(pages).toHaveLength(Math.ceil(punks.count / limit));
      }
    },
  );

  it('the archive finds the apes with a fedora, and finds a punk with two features by each feature', async () => {
    const { body } = await search({ body: 'ape', hat: 'fedora' });
    const features = await Promise.all(
      ['spots', 'rosy-cheeks', 'buck-teeth'].map((feature) => searchAll({ feature })),
    );

    const tokens = (await linesOf('cryptopunks/tokens.jsonl.gz')).map((line) => JSON.parse(line));
    const having = (...wanted: readonly string[]) =>
      tokens
        .filter(({ metadata }) => wanted.every((value) => metadata.includes(`"value": "${value}"`)))
        .map(({ token_id }) => token_id);
    expect(idsOf({ body })).toEqual(having('ape', 'fedora'));
    expect(features.flatMap((pages) => idsOf(...pages)).filter((id) => id === '3943')).toHaveLength(
      2,
    );
  });

  it.each([1, 7, 30, 90, 365])(
    'the lowest trade of %i days equals the result of a naive pass over the file',
    async (days) => {
      const random = createSeededRandom(days);
      const [first, last] = [instant('2017-06-20T00:00'), instant('2022-01-20T00:00')];
      const reported = [];

      for (let round = 0; round < 80; round += 1) {
        const to = first + random.below((last - first) / HOUR) * HOUR - random.below(2);
        reported.push(await expectLowest(to, days));
      }

      expect(reported.some((lowest) => lowest !== undefined)).toBe(true);
    },
  );

  it('the lowest trade is exact at the edges of windows, for dust and for ties', async () => {
    const dust = sales.filter(({ price }) => price <= 45_000n);
    const byDay = Map.groupBy(sales, ({ time }) => Math.floor(time / DAY));
    const tied = [...byDay.values()].flatMap((day) => {
      const prices = day.map(({ price }) => price).toSorted((a, b) => Number(a - b));
      return prices.length > 1 && prices[0] === prices[1] ? day.slice(0, 1) : [];
    });
    expect([dust.length, tied.length]).toEqual([8, expect.any(Number)]);
    expect(tied.length).toBeGreaterThan(100);

    for (const { time } of [...dust, ...tied.filter((_, index) => index % 4 === 0)]) {
      for (const days of [1, 7]) {
        for (const edge of [time - 1, time, time + days * DAY, time + days * DAY + 1]) {
          await expectLowest(edge, days);
        }
      }
    }
  });

  it('the archive distinguishes prices that differ by seven wei', async () => {
    const rounded = sales.filter(({ price }) => price / 10n === 5_000_000_000_000_000n);
    const april = rounded.filter(({ time }) => formatInstant(time).startsWith('2018-04'));
    expect(new Set(april.map(({ price }) => price % 10n))).toEqual(new Set([0n, 7n]));

    for (const { time } of april) {
      for (const days of [1, 7, 30]) await expectLowest(time + (days * DAY) / 2, days);
    }
  });

  it('a request for a window without a trade returns 404', async () => {
    clock.now = instant('2022-06-01T00:00');

    expect((await ask(LOWEST, { query: { days: '7' } })).status).toBe(404);
    expect((await ask(LOWEST, { query: { days: '365' } })).status).toBe(200);
  });

  it.each(['1d', '7d', '30d', '60d', '90d', '1y', 'all'])(
    'the archive reports the floors of the file for the interval %s',
    async (interval) => {
      const days =
        { '1d': 1, '7d': 7, '30d': 30, '60d': 60, '90d': 90, '1y': 365 }[interval] ?? 10_000;
      for (const now of ['2021-08-03T00:00:00Z', '2021-12-24T18:00:00Z', '2022-04-01T00:00:00Z']) {
        clock.now = instant(now);
        const expected = floors
          .filter(({ timestamp }) => {
            const time = Date.parse(timestamp);
            return time <= clock.now && time >= clock.now - days * DAY;
          })
          .toReversed();

        const reported = [];
        for (let cursor: string | undefined; cursor !== ''; ) {
          const query = { interval, ...(cursor && { cursor }) };
          const { body } = await ask(FLOORS, { query });
          reported.push(...body.result);
          cursor = body.cursor;
        }

        expect(reported.map(({ timestamp }) => timestamp)).toEqual(
          expected.map(({ timestamp }) => timestamp),
        );
        expect(
          reported.map(({ floor_price, floor_price_usd }) => [+floor_price, +floor_price_usd]),
        ).toEqual(
          expected.map((floor) => [Number(floor.floor_price), Number(floor.floor_price_usd)]),
        );
      }
    },
  );
});

async function linesOf(file: string): Promise<readonly string[]> {
  const plain = createReadStream(join(realData, file)).pipe(createGunzip());
  return (await text(plain)).trimEnd().split('\n');
}
