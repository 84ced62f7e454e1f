import { expect, it } from 'vitest';
import { CHAINS } from '#shared/domain/market/chains.ts';
import {
  Metric,
  metricsOf,
  partOf,
  readMetric,
  unitOfMetric,
} from '#shared/domain/watching/metric.ts';
import { aPrice, eth, NOON } from '#test/support/builders.ts';

it.each([
  ['floor_price', 'floor_price', 'floor'],
  ['floor_price_usd', 'floor_price_usd', 'floor'],
  ['lowest_price', 'lowest_price.7d', 'lowest.7d'],
  ['lowest_price.1d', 'lowest_price.1d', 'lowest.1d'],
  ['lowest_price.90d', 'lowest_price.90d', 'lowest.90d'],
])('takes %s for %s, read from %s', (name, metric, part) => {
  const taken = Metric.parse(name);

  expect(taken).toBe(metric);
  expect(partOf(taken)).toBe(part);
  expect(metricsOf(partOf(taken))).toContain(taken);
});

it.each(['', 'floor', 'lowest_price.2d', 'lowest_price.07d', 'toString'])(
  'refuses the metric "%s", naming those there are',
  (name) => {
    const [issue] = Metric.safeParse(name).error?.issues ?? [];

    expect(issue?.message).toBe(
      'expected one of floor_price, floor_price_usd, lowest_price.1d, lowest_price.7d, lowest_price.30d, lowest_price.90d, lowest_price',
    );
  },
);

it("tells floors in the chain's own currency, trades in ETH and dollars in dollars", () => {
  const polygon = CHAINS.find(({ name }) => name === 'polygon');

  const units = (['floor_price', 'floor_price_usd', 'lowest_price.7d'] as const).map(
    (metric) => polygon && unitOfMetric(metric, polygon),
  );

  expect(units).toEqual(['pol', 'usd', 'eth']);
});

it.each([
  { metric: 'floor_price', reading: { value: eth('59.9'), unit: 'eth' } },
  { metric: 'floor_price_usd', reading: { value: eth('180000'), unit: 'usd' } },
  { metric: 'lowest_price.7d', reading: { value: eth('59.9'), unit: 'eth' } },
] as const)('reads $metric with its unit', ({ metric, reading }) => {
  expect(readMetric(metric, aPrice('59.9', { usd: eth('180000') }))).toEqual(reading);
});

it('reads no number where there is none', () => {
  expect(readMetric('floor_price_usd', aPrice('59.9'))).toBeUndefined();
  expect(readMetric('lowest_price.7d', { kind: 'empty', time: NOON })).toBeUndefined();
});
