import { describe, expect, it } from 'vitest';
import { formatDecimal, GREATEST } from '#shared/domain/market/decimal.ts';
import { derivedPrices } from '#shared/domain/market/derived-price.ts';
import { floorRatio } from '#shared/domain/market/floor-ratio.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { aPrice, eth, NOON } from '#test/support/builders.ts';

const at = (price: string, minute: number, given: Partial<PricePoint> = {}) =>
  aPrice(price, { time: NOON + minute * 60_000, ...given });
const worth = (price: string, usd: string, currency = 'eth') =>
  at(price, 0, { currency, usd: eth(usd) });
const textOf = (ratio: ReturnType<typeof floorRatio>) =>
  typeof ratio === 'string' ? ratio : formatDecimal(ratio.price);

describe('the ratio of floors', () => {
  it.each<[what: string, floors: Parameters<typeof floorRatio>[0], ratio: string]>([
    ['two floors', [at('5', 0), at('4', 0)], '1.25'],
    ['a floor and the average of two others', [at('6', 0), at('1', 0), at('3', 0)], '3'],
    ['an infinite fraction, truncated', [at('2', 0), at('3', 0)], '0.666666666666666666'],
    ['two currencies, in dollars', [worth('5', '100'), worth('9', '50', 'pol')], '2'],
    ['one currency, without its dollar prices', [worth('5', '100'), worth('4', '50')], '1.25'],
    [
      'two currencies without dollars',
      [worth('5', '100'), at('9', 0, { currency: 'pol' })],
      'currencies',
    ],
    ['an unknown floor', [at('5', 0), undefined], 'floors'],
    ['floors of nothing', [at('5', 0), at('0', 0)], 'floors'],
  ])('computes the ratio of %s', (_what, floors, ratio) => {
    expect(textOf(floorRatio(floors))).toBe(ratio);
  });

  it('gives a floor ratio the time of the latest floor', () => {
    expect(floorRatio([at('5', 3), at('4', 7)])).toMatchObject({ time: NOON + 7 * 60_000 });
  });

  it('limits a floor ratio to less than the greatest threshold', () => {
    const ratio = floorRatio([at('1000000', 0), at('0.000000000000000001', 0)]);

    expect(ratio).toMatchObject({ price: GREATEST - 1n });
  });
});

it('computes a ratio at the time of each recorded floor, once all floors are known', () => {
  const one = [at('10', 0), at('12', 10), at('9', 30), at('8', 30)];
  const other = [at('2', 5), at('3', 20)];

  const ratios = derivedPrices([one, other], floorRatio);

  expect(ratios.map(({ time, price }) => [(time - NOON) / 60_000, formatDecimal(price)])).toEqual([
    [5, '5'],
    [10, '6'],
    [20, '4'],
    [30, '2.666666666666666666'],
  ]);
});
