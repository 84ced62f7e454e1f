import { expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { floorPrices, intervalSince } from '#shared/domain/polling/floor-pages.ts';
import { eth, NOON } from '#test/support/builders.ts';

it.each([
  [0, '1d'],
  [23 * HOUR, '1d'],
  [23 * HOUR + MINUTE, '7d'],
  [DAY + HOUR, '7d'],
  [2 * DAY, '7d'],
  [7 * DAY - HOUR, '7d'],
  [7 * DAY, '30d'],
  [90 * DAY, '30d'],
])('requests the shortest interval that includes the last floor, %d ms ago', (age, interval) => {
  expect(intervalSince(NOON - age, NOON)).toBe(interval);
});

it.each([
  { order: 'newest first', minutes: [2, 1, 1] },
  { order: 'oldest first', minutes: [1, 1, 2] },
])('keeps the later line of two floors with the same time, $order', ({ minutes }) => {
  const points = minutes.map((minute, index) => ({
    time: NOON + minute * MINUTE,
    price: eth(String(60 + index)),
    currency: 'eth',
    marketplaces: [],
  }));

  const { points: reported } = floorPrices({ points }, '1d', NOON);

  const last = points.findLast(({ time }) => time === NOON + MINUTE);
  expect(reported.filter(({ time }) => time === NOON + MINUTE).map(({ price }) => price)).toEqual([
    last?.price,
  ]);
  expect(reported).toHaveLength(2);
});
