import { expect, it } from 'vitest';
import { type Decimal, GREATEST, LEAST } from '#shared/domain/market/decimal.ts';
import type { Holding } from '#shared/domain/metrics/holding.ts';
import { measure } from '#shared/domain/metrics/measure.ts';
import { thresholdIndexNameOf, waitingInIndex } from '#shared/domain/rules/threshold-index.ts';
import { aPrice, eth, NOON } from '#test/support/builders.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

type Gain = 'gain' | 'gain_pct';

const valueAt = (metric: Gain, holding: Holding, floor: Decimal): Decimal => {
  const known = new Map([['floor', [{ ...aPrice('1'), price: floor }]] as const]);
  const measured = measure({ metric, unit: 'eth', holding }, known, NOON);
  if (measured.kind !== 'value') throw new Error(measured.why);
  return measured.value;
};

/** Random holdings, and floors from one smallest unit (10^-18) up to 22 digits. */
function randomHoldings(count: number) {
  const random = createSeededRandom(46);
  const digits = (most: number) =>
    BigInt(Array.from({ length: 1 + random.below(most) }, () => random.below(10)).join('')) + 1n;
  return Array.from({ length: count }, () => {
    const metric = random.pick<Gain>(['gain', 'gain_pct']);
    const amount = random.pick([1n, 3n, 7n, 1_000_000n]);
    // Percentages are capped at 10^20; these costs keep them below it.
    return { metric, holding: { cost: digits(20) + 100_000n, amount }, floor: digits(22) };
  });
}

it('indexes a gain at the furthest floor at which it reaches its threshold, or slightly beyond', () => {
  const random = createSeededRandom(47);
  for (const { metric, holding, floor } of randomHoldings(3000)) {
    const at = (price: Decimal) => valueAt(metric, holding, price);
    const number = at(floor) + BigInt(random.below(5) - 2);

    const waiting = { falling: number, rising: number };
    const { falling = 0n, rising = 0n } = waitingInIndex(waiting, { metric, unit: 'eth', holding });

    // The index must find the watch at each floor whose gain reaches the number.
    for (const price of [floor, floor - 1n, floor + 1n, falling + 1n, rising - 1n]) {
      if (at(price) <= number) expect(price).toBeLessThanOrEqual(falling);
      if (at(price) >= number) expect(price).toBeGreaterThanOrEqual(rising);
    }
    // The index position may be off by a small step: one step further, the gain reaches the number.
    const step = (2n * holding.cost) / eth('100') + 2n;
    expect(at(falling - step)).toBeLessThanOrEqual(number);
    expect(at(rising + step)).toBeGreaterThanOrEqual(number);
  }
});

it('keeps an index position within the bounds of the index', () => {
  const of = { metric: 'gain_pct', unit: 'eth', holding: { cost: eth('10'), amount: 1n } } as const;

  expect(waitingInIndex({ falling: GREATEST, rising: GREATEST }, of)).toEqual({
    falling: GREATEST,
    rising: GREATEST,
  });
  expect(waitingInIndex({ falling: GREATEST - 1n }, of)).toEqual({
    falling: eth('10') * (10n ** 18n + 1n),
  });
  expect(
    waitingInIndex(
      { rising: GREATEST - 1n },
      { ...of, holding: { cost: eth('99999'), amount: 1n } },
    ),
  ).toEqual({ rising: GREATEST });
  expect(waitingInIndex({ rising: LEAST + 1n }, { ...of, metric: 'gain' })).toEqual({
    rising: LEAST + 1n + eth('10'),
  });
});

it('leaves the index positions of other metrics unchanged', () => {
  expect(waitingInIndex({ falling: 5n }, { metric: 'floor_price', unit: 'eth' })).toEqual({
    falling: 5n,
  });
});

it.each([
  ['gain', 'eth', 'floor_price'],
  ['gain_pct', 'pol', 'floor_price'],
  ['gain', 'usd', 'floor_price_usd'],
  ['spread_pct', 'eth', 'spread_pct'],
] as const)('puts a rule on %s in %s into the threshold index of %s', (metric, unit, index) => {
  expect(thresholdIndexNameOf({ metric, unit, minSources: 2 })).toEqual({
    ...{ metric: index, unit, minSources: 2 },
  });
});
