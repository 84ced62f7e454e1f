import { describe, expect, it } from 'vitest';
import { type Low, lowestWithin, possibleLows } from '#shared/domain/archive/lows.ts';
import { DAY, HOUR } from '#shared/domain/market/instant.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

const low = (time: number, price: number | bigint, order = 0): Low => ({
  time,
  price: BigInt(price),
  order,
  id: `${time}.${order}`,
});
const prices = (lows: readonly Low[]) => lows.map(({ price }) => Number(price));

describe('the lows of a day', () => {
  it.each([
    { what: 'a day that only falls', listed: [5, 4, 3], kept: [5, 4, 3] },
    { what: 'a day that only rises', listed: [3, 4, 5], kept: [3, 4, 5] },
    { what: 'a trade with a lower one on both sides', listed: [3, 9, 2], kept: [3, 2] },
    { what: 'a price that occurs again', listed: [7, 7, 7], kept: [7, 7, 7] },
    { what: 'a tie with something lower before', listed: [1, 7, 7], kept: [1, 7, 7] },
    { what: 'a tie with something lower after', listed: [7, 7, 1], kept: [7, 1] },
    { what: 'a day without trades', listed: [], kept: [] },
  ])('keeps the trades that can be the lowest of a window: $what', ({ listed, kept }) => {
    const trades = listed.map((price, index) => low(index * HOUR, price));

    expect(prices(possibleLows(trades))).toEqual(kept);
    expect(possibleLows(trades.toReversed())).toEqual(possibleLows(trades));
  });

  it('keeps few lows of a day with random prices', () => {
    const random = createSeededRandom(1);
    const trades = Array.from({ length: 5000 }, (_, index) => low(index, random.below(1e9)));

    expect(possibleLows(trades).length).toBeLessThan(50);
  });
});

describe('the lowest trade of a window', () => {
  it('returns the earliest of several lowest trades, by time and then by order', () => {
    const trades = [low(HOUR, 7, 1), low(HOUR, 7, 0), low(2 * HOUR, 7)];

    expect(lowestWithin(trades, 0, DAY)).toBe(trades[1]);
    expect(lowestWithin(trades, HOUR + 1, DAY)).toBe(trades[2]);
  });

  it('compares the prices of trades exactly to the wei, beyond the precision of a float', () => {
    const trades = [low(0, 50_000_000_000_000_007n), low(1, 50_000_000_000_000_000n)];

    expect(lowestWithin(trades, 0, DAY)).toBe(trades[1]);
  });

  it('the lowest trade may be at either end of the window, or at a tiny price', () => {
    const trades = [low(10, 1), low(20, 100), low(30, 2)];

    expect(lowestWithin(trades, 10, 30)).toBe(trades[0]);
    expect(lowestWithin(trades, 11, 30)).toBe(trades[2]);
    expect(lowestWithin(trades, 11, 29)).toBe(trades[1]);
    expect(lowestWithin(trades, 31, 40)).toBeUndefined();
  });

  it.each(Array.from({ length: 40 }, (_, seed) => seed))(
    "finds the same lowest trade from the days' lows as from all trades (seed %i)",
    (seed) => {
      const random = createSeededRandom(seed);
      const days = 1 + random.below(6);
      // Few prices and times cause ties; on some seeds all times are at the edges of days.
      const moments = [1, 5, 24, 24 * 60][random.below(4)] ?? 1;
      const values = 1 + random.below(12);
      const trades = Array.from({ length: random.below(120) }, (_, order) => {
        const at = random.below(days * moments) * (DAY / moments);
        return low(at - random.below(2), random.below(values) + 1, order);
      }).filter(({ time }) => time >= 0);
      const byDay = Map.groupBy(trades, ({ time }) => Math.floor(time / DAY));
      const lows = [...byDay.values()].flatMap((day) => possibleLows(day));

      for (let round = 0; round < 60; round += 1) {
        const length = 1 + random.below(days);
        const from = (random.below((days + 1) * moments) * DAY) / moments - random.below(2);
        const to = from + length * DAY;

        expect(lowestWithin(lows, from, to)).toEqual(lowestByOnePass(trades, from, to));
      }
    },
  );
});

/** The lowest trade in the window; of equal prices the earliest, then the first reported. */
function lowestByOnePass(trades: readonly Low[], from: number, to: number): Low | undefined {
  let lowest: Low | undefined;
  for (const trade of trades) {
    if (trade.time < from || trade.time > to) continue;
    if (lowest === undefined || rank(trade) < rank(lowest)) lowest = trade;
  }
  return lowest;
}

const rank = ({ price, time, order }: Low) =>
  [price, time, order].map((number) => String(number).padStart(20, '0')).join(' ');
