import { describe, expect, it } from 'vitest';
import { isFar, isNearer, withoutGlitches } from '#shared/domain/market/outlier.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { aPrice, NOON } from '#test/support/builders.ts';

const price = (text: string, given: Partial<PricePoint> = {}) => aPrice(text, given);
const series = (...prices: readonly string[]) =>
  prices.map((text, index) => price(text, { time: NOON + index }));
const pricesOf = (points: readonly PricePoint[]) =>
  points.map(({ price: amount }) => Number(amount) / 1e18);

it.each([
  ['10', '7', true],
  ['10', '7.000000000000000001', false],
  ['7', '10', true],
  ['7', '9.999999999999999999', false],
])(
  'a floor is far from the previous one if the lower of the two is at most 70%% of the higher: %s, %s: %s',
  (before, floor, far) => {
    expect(isFar(price(floor), price(before))).toBe(far);
  },
);

it.each([
  ['50', '20', '60', false],
  ['40', '20', '60', false],
  ['34', '20', '60', true],
  ['10', '20', '60', true],
  ['70', '100', '60', false],
  ['90', '100', '60', true],
  ['30', '15', '60', false],
])('by ratio, the price %s is nearer to %s than to %s: %s', (floor, one, other, nearer) => {
  expect(isNearer(price(floor), price(one), price(other))).toBe(nearer);
});

it('floors in different currencies are neither far nor near', () => {
  const foreign = price('60', { currency: 'usdc' });

  expect(isFar(foreign, price('10'))).toBe(false);
  expect(isNearer(foreign, price('20'), price('60'))).toBe(false);
});

describe('recorded floors without glitches', () => {
  /**
   * The floors of CryptoPunks from 26 to 30 August 2021; the second is a glitch of the data source.
   */
  it('recorded floors leave out a floor that the next floor contradicts', () => {
    expect(pricesOf(withoutGlitches(series('74.33', '41', '87', '122.5')))).toEqual([
      74.33, 87, 122.5,
    ]);
  });

  it('recorded floors contain a floor that the next floor confirms, at its own time', () => {
    expect(withoutGlitches(series('75', '41', '43', '44'))).toEqual(series('75', '41', '43', '44'));
  });

  it('recorded floors leave out several glitches with prices between them', () => {
    expect(pricesOf(withoutGlitches(series('75', '41', '76', '40', '77')))).toEqual([75, 76, 77]);
  });

  it('recorded floors contain the first floor after a gap, however far it is from the previous one', () => {
    const [before, far, after] = series('75', '41', '76') as [PricePoint, PricePoint, PricePoint];

    const kept = withoutGlitches([before, { ...far, isAfterGap: true }, after]);

    expect(pricesOf(kept)).toEqual([75, 41, 76]);
  });

  it('recorded floors keep the accepted floors of polls and omit their suspects, whatever the next floor is', () => {
    const [before, far, after] = series('75', '41', '76') as [PricePoint, PricePoint, PricePoint];
    const accepted = { ...far, observedAs: 'price' } as const;
    const suspect = { ...far, observedAs: 'suspect' } as const;

    expect(pricesOf(withoutGlitches([before, accepted, after]))).toEqual([75, 41, 76]);
    expect(pricesOf(withoutGlitches([before, suspect, price('42', { time: NOON + 2 })]))).toEqual([
      75, 42,
    ]);
  });

  it('a fetched floor is a glitch if the next floor that is not a suspect contradicts it', () => {
    const [before, far, held, after] = series('75', '41', '42', '76');
    const suspect = { ...held, observedAs: 'suspect' } as PricePoint;

    const kept = withoutGlitches([before, far, suspect, after] as readonly PricePoint[]);

    expect(pricesOf(kept)).toEqual([75, 76]);
  });
});
