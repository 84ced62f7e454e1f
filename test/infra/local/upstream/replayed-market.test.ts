import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { lowestTrade } from '#infra/local/upstream/market-source.ts';
import { loadReplayedMarket } from '#infra/local/upstream/replayed-market.ts';
import { DAY } from '#shared/domain/market/instant.ts';
import {
  aFloorLine,
  aTokenLine,
  aTradeLine,
  PUNKS,
  toLines,
  writeMarketFiles,
} from '#test/support/market-files.ts';

const always = [0, Number.MAX_SAFE_INTEGER] as const;

describe('a replayed market', () => {
  it('a replayed market reads floors, trades and tokens, plain or gzipped, from a directory with subfolders', async () => {
    await using files = await writeMarketFiles({
      'punks/floors.jsonl': [aFloorLine('2021-08-03T00:00:00.000Z', '31.45')],
      'punks/trades.jsonl.gz': gzipSync(toLines([aTradeLine('2021-08-02T10:00:00', '100')])),
      'more/tokens.jsonl': [aTokenLine('7', [['hat', 'cap']])],
      'more/notes.txt': 'not for this',
    });

    const market = await loadReplayedMarket(files.directory);

    expect(market.counts).toEqual({ floors: 1, trades: 1, tokens: 1 });
    expect(market.contracts()).toEqual([{ contract: PUNKS, name: 'CryptoPunks' }]);
    expect(market.span).toEqual({
      from: Date.UTC(2021, 7, 2, 10),
      to: Date.UTC(2021, 7, 3),
    });
    expect(market.badLines.count).toBe(0);
  });

  it('if two floors have the same time, a replayed market uses the later line, because it is a revision', async () => {
    const time = '2021-08-03T00:00:00.000Z';
    await using files = await writeMarketFiles({
      'punks/floors.jsonl': [aFloorLine(time, '31'), aFloorLine(time, '32')],
    });

    const market = await loadReplayedMarket(files.directory);

    const reported = [...market.floors(PUNKS, ...always)].map(({ record }) => record.floor_price);
    expect(reported).toEqual(['32']);
  });

  it('a replayed market keeps the digits of prices unchanged', async () => {
    await using files = await writeMarketFiles({
      'floors.jsonl': [aFloorLine('2021-08-03T00:00:00.000Z', '0.050000000000000007')],
      'trades.jsonl': [aTradeLine('2021-08-02T10:00:00', '50000000000000007')],
    });

    const market = await loadReplayedMarket(files.directory);

    const [floor] = market.floors(PUNKS, ...always);
    const [trade] = market.trades(PUNKS, ...always);
    expect(floor?.record.floor_price).toBe('0.050000000000000007');
    expect(trade?.record.price).toBe('50000000000000007');
  });

  it('a replayed market orders floors newest first and trades oldest first, regardless of the file', async () => {
    const days = [2, 1, 3];
    await using files = await writeMarketFiles({
      'floors.jsonl': days.map((day) => aFloorLine(`2021-08-0${day}T00:00:00.000Z`, `${day}`)),
      'trades.jsonl': days.map((day) => aTradeLine(`2021-08-0${day}T00:00:00`, `${day}`)),
    });
    const market = await loadReplayedMarket(files.directory);

    const floors = Array.from(market.floors(PUNKS, ...always), ({ record }) => record.floor_price);
    const trades = Array.from(market.trades(PUNKS, ...always), ({ record }) => record.price);

    expect(floors).toEqual(['3', '2', '1']);
    expect(trades).toEqual(['1', '2', '3']);
  });

  it('a replayed market returns events in a range with inclusive bounds', async () => {
    const days = [1, 2, 3, 4];
    await using files = await writeMarketFiles({
      'floors.jsonl': days.map((day) => aFloorLine(`2021-08-0${day}T00:00:00.000Z`, `${day}`)),
      'trades.jsonl': days.map((day) => aTradeLine(`2021-08-0${day}T00:00:00`, `${day}`)),
    });
    const market = await loadReplayedMarket(files.directory);
    const span = [Date.UTC(2021, 7, 2), Date.UTC(2021, 7, 3)] as const;

    const floors = Array.from(market.floors(PUNKS, ...span), ({ record }) => record.floor_price);
    const trades = Array.from(market.trades(PUNKS, ...span), ({ record }) => record.price);

    expect(floors).toEqual(['3', '2']);
    expect(trades).toEqual(['2', '3']);
  });

  it('a replayed market returns the times of the next floor and the next trade', async () => {
    await using files = await writeMarketFiles({
      'floors.jsonl': [aFloorLine('2021-08-01T00:00:00.000Z', '1')],
      'trades.jsonl': [aTradeLine('2021-08-02T00:00:00', '1')],
    });
    const market = await loadReplayedMarket(files.directory);
    const [floorTime, tradeTime] = [Date.UTC(2021, 7, 1), Date.UTC(2021, 7, 2)];

    expect(market.nextFloor(PUNKS, floorTime - 1)).toBe(floorTime);
    expect(market.nextFloor(PUNKS, floorTime)).toBeUndefined();
    expect(market.nextTrade(PUNKS, floorTime)).toBe(tradeTime);
    expect(market.nextTrade(PUNKS, tradeTime)).toBeUndefined();
  });

  it('a replayed market reports each bad line with file, number and reason, and loads the others', async () => {
    await using files = await writeMarketFiles({
      'a/trades.jsonl': [
        JSON.stringify(aTradeLine('2021-08-01T00:00:00', '5')),
        '{"chain":"eth"',
        '',
        JSON.stringify(aTradeLine('2021-08-01T00:00:00', '-')),
        JSON.stringify(aTradeLine('2021-08-01T00:00:00', '0')),
        JSON.stringify(aTradeLine('yesterday', '5')),
        JSON.stringify(aTradeLine('2021-08-01T00:00:00', '5', { chain: 'moon' })),
        JSON.stringify(aTradeLine('2021-08-01T00:00:00', '6')),
      ].join('\r\n'),
      'b/floors.jsonl': [aFloorLine('2021-08-01T00:00:00.000Z', '0')],
    });

    const market = await loadReplayedMarket(files.directory);

    expect(market.counts).toMatchObject({ trades: 2, floors: 0 });
    expect(market.badLines).toEqual({
      count: 6,
      first: [
        [join('a', 'trades.jsonl'), 2, 'expected JSON'],
        [join('a', 'trades.jsonl'), 4, expect.stringMatching(/^price: /)],
        [join('a', 'trades.jsonl'), 5, expect.stringMatching(/^price: /)],
        [join('a', 'trades.jsonl'), 6, expect.stringMatching(/^block_timestamp: /)],
        [join('a', 'trades.jsonl'), 7, expect.stringMatching(/known chain/)],
        [join('b', 'floors.jsonl'), 1, expect.stringMatching(/^floor_price: /)],
      ].map(([file, line, reason]) => ({ file: join(files.directory, file), line, reason })),
    });
  });

  it('a replayed market lists a hundred bad lines and counts the rest', async () => {
    await using files = await writeMarketFiles({ 'floors.jsonl': new Array(150).fill({}) });

    const { badLines } = await loadReplayedMarket(files.directory);

    expect(badLines.count).toBe(150);
    expect(badLines.first).toHaveLength(100);
  });

  it('a replayed market reports a truncated file, and loads the other files', async () => {
    const packed = gzipSync(toLines([aFloorLine('2021-08-01T00:00:00.000Z', '1')]));
    await using files = await writeMarketFiles({
      'a/floors.jsonl.gz': packed.subarray(0, packed.length - 20),
      'b/floors.jsonl': [aFloorLine('2021-08-02T00:00:00.000Z', '2')],
    });

    const market = await loadReplayedMarket(files.directory);

    expect(market.badLines.count).toBe(1);
    expect(market.nextFloor(PUNKS, Date.UTC(2021, 7, 1))).toBe(Date.UTC(2021, 7, 2));
  });
});

const realData = join(process.cwd(), '..', 'shared', 'data');
const isPresent = existsSync(realData);
if (!isPresent) process.emitWarning(`skipped: no real data at ${realData}`);

describe.skipIf(!isPresent)(`the real data (skipped without ${realData})`, () => {
  it('the real data load completely: all floors, trades and tokens, and nine listed bad lines', async () => {
    const market = await loadReplayedMarket(realData);

    expect(market.counts).toEqual({ floors: 241, trades: 17_124 + 2_099, tokens: 20_624 });
    expect(market.badLines).toMatchObject({
      count: 9,
      first: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((line) => ({
        file: join(realData, 'dirty', 'trades.jsonl.gz'),
        line,
        reason: expect.stringMatching(/^price: /),
      })),
    });
    expect(Array.from(market.contracts(), ({ contract }) => contract)).toContain(PUNKS);
  });

  it('a dust trade of the real data is the lowest trade of its window', async () => {
    const market = await loadReplayedMarket(realData);
    const lowest = [...market.trades(PUNKS, ...always)].find(({ record }) => record.price === '1');
    if (lowest === undefined) throw new Error('no dust in the data');

    expect(lowestTrade(market, PUNKS, lowest.time - 7 * DAY, lowest.time)).toBe(lowest);
  });
});
