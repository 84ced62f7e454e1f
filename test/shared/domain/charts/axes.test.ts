import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { priceLabel, priceRange, priceTicks } from '#shared/domain/charts/price-axis.ts';
import { momentLabel, timeTicks } from '#shared/domain/charts/time-axis.ts';
import { DAY, HOUR } from '#shared/domain/market/instant.ts';
import { eth, instant } from '#test/support/builders.ts';

it('draws three to six round ticks for any range of prices', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 30n), fc.bigInt(10n, 10n ** 30n), (low, range) => {
      const ticks = priceTicks({ low, high: low + range });

      expect(ticks.length).toBeGreaterThanOrEqual(3);
      expect(ticks.length).toBeLessThanOrEqual(6);
      const [first = 0n, second = 0n] = ticks;
      expect(`${second - first}`).toMatch(/^(1|2|25|5)0*$/);
    }),
  );
});

it('labels a range with the ticks that a person would choose', () => {
  const labels = priceTicks({ low: eth('9.2'), high: eth('10.9') }).map((tick) =>
    priceLabel(tick, 'eth'),
  );

  expect(labels).toEqual(['9.5', '10', '10.5']);
});

it.each([
  { values: ['0'], range: ['0', '1'] },
  { values: ['0', '10'], range: ['0', '11'] },
  { values: ['1', '21'], range: ['0', '23'] },
  { values: ['5', '15'], range: ['4', '16'] },
  { values: ['-5', '5'], range: ['-6', '6'] },
])('adds no margin below zero to a price range of $values: $range', ({ values, range }) => {
  const { low, high } = priceRange(values.map(eth), []);

  expect([low, high]).toEqual(range.map(eth));
});

it.each([
  ['0.05', 'eth', '0.05'],
  ['9500', 'usd', '$9500'],
  ['12500', 'usd', '$12.5k'],
  ['12345.67', 'usd', '$12.34567k'],
  ['-3', 'eth', '−3'],
])('labels a price of %s %s on the axis as %s', (price, unit, label) => {
  expect(priceLabel(eth(price), unit)).toBe(label);
});

it('labels a day with hours in UTC, and a week with dates', () => {
  const moment = instant('2026-11-25T14:20:00Z');
  const labels = (from: number) => timeTicks(from, moment).map(({ label }) => label);

  expect(labels(moment - HOUR)).toEqual(['13:30', '13:45', '14:00', '14:15']);
  expect(labels(moment - DAY)).toEqual(['18:00', 'Nov 25', '06:00', '12:00']);
  expect(labels(moment - 7 * DAY)).toHaveLength(4);
  expect(labels(moment - 7 * DAY).every((label) => /^Nov \d\d$/.test(label))).toBe(true);
  expect(momentLabel(moment)).toBe('Nov 25, 14:20 UTC');
});
