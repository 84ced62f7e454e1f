import { describe, expect, it } from 'vitest';
import {
  confirmedOf,
  contradicts,
  outliersAmong,
  recordedPrice,
} from '#shared/domain/market/outlier.ts';
import type { Observation, PricePoint } from '#shared/domain/market/point.ts';
import { aPrice, NOON } from '#test/support/builders.ts';

const price = (text: string, given: Partial<PricePoint> = {}) => aPrice(text, given);
const series = (...prices: readonly string[]) =>
  prices.map((text, index) => price(text, { time: NOON + index }));
const reported = (points: readonly PricePoint[]) =>
  points.map(({ price: amount, time, knownFrom = time }) => [
    Number(amount) / 1e18,
    knownFrom - NOON,
  ]);

describe('an outlier', () => {
  it.each([
    ['60', '20', '50', true],
    ['60', '20', '40', false],
    ['60', '20', '40.000000000000000001', true],
    ['60', '20', '10', false],
    ['60', '100', '70', true],
    ['60', '100', '90', false],
  ])('after %s at %s is contradicted by %s: %s', (before, outlier, next, expected) => {
    expect(contradicts(price(next), price(outlier), price(before))).toBe(expected);
  });

  it('is not contradicted by other money', () => {
    expect(contradicts(price('60', { currency: 'usdc' }), price('20'), price('60'))).toBe(false);
  });
});

/** The floors of CryptoPunks from 26 to 30 August 2021; the second is a glitch of the feed. */
it('what the next has contradicted never held', () => {
  expect(reported(confirmedOf(series('74.33', '41', '87', '122.5')))).toEqual([
    [74.33, 0],
    [87, 2],
    [122.5, 3],
  ]);
});

it('what the next has confirmed is known with that', () => {
  expect(reported(confirmedOf(series('75', '41', '43', '44')))).toEqual([
    [75, 0],
    [41, 2],
    [43, 2],
    [44, 3],
  ]);
});

it('what comes after an outlier is none, however far from it', () => {
  expect(reported(confirmedOf(series('75', '41', '76', '40', '77')))).toEqual([
    [75, 0],
    [76, 2],
    [77, 4],
  ]);
});

describe('what was decided when a floor came', () => {
  const [before, far, after] = series('75', '41', '44') as [PricePoint, PricePoint, PricePoint];

  it('stands, whatever is fetched of the time before it', () => {
    const accepted = { ...far, observedAs: 'price' as const };
    expect(outliersAmong([before, accepted, after])).toEqual(new Set());
    expect(confirmedOf([before, accepted, after])).toEqual([before, accepted, after]);
    expect(outliersAmong([before, accepted, price('20', { time: NOON + 2 })]).size).toBe(1);
  });

  it('holds back a floor that something fetched later leads up to', () => {
    const held = { ...after, observedAs: 'outlier' as const };
    const next = price('30', { time: NOON + 3 });
    expect(reported(confirmedOf([before, far, held, next]))).toEqual([
      [75, 0],
      [41, 2],
      [44, 3],
      [30, 3],
    ]);
  });

  it('is recorded with it', () => {
    const observed = (point: PricePoint, known: Partial<Observation> = {}): Observation => ({
      ...{ seq: 2, poll: 2, part: 'floor', point, ...known },
    });
    const previous = before;
    const verdicts = [
      observed(far),
      observed(far, { previous: { ...previous, currency: 'usdc' } }),
      observed(far, { previous }),
      observed(far, { previous, standing: previous }),
      observed({ ...far, confirmedBy: 'coingecko' }),
      observed(far, { previous, part: 'lowest.7d' }),
    ].map((observation) => recordedPrice(observation)?.observedAs);
    expect(verdicts).toEqual(['alone', 'alone', 'price', 'outlier', 'price', undefined]);
    expect(recordedPrice(observed({ ...far, confirmedBy: 'coingecko' }))).toMatchObject({
      confirmedBy: 'coingecko',
    });
  });
});
