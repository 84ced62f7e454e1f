import { expect, it } from 'vitest';
import { CHAINS } from '#shared/domain/market/chains.ts';
import { DAY, HOUR } from '#shared/domain/market/instant.ts';
import {
  fixedUnit,
  isClock,
  isPercent,
  Metric,
  StoredMetric,
  seriesOfMetric,
  unitOfMetric,
  unitShown,
  windowExpiriesBetween,
  windowOf,
} from '#shared/domain/metrics/metric.ts';

it.each([
  ['floor_price', 'floor_price', ['floor']],
  ['floor_price_usd', 'floor_price_usd', ['floor']],
  ['lowest_price', 'lowest_price.7d', ['lowest.7d']],
  ['lowest_price.1d', 'lowest_price.1d', ['lowest.1d']],
  ['lowest_price.90d', 'lowest_price.90d', ['lowest.90d']],
  ['floor_change_pct.1h', 'floor_change_pct.1h', ['floor']],
  ['floor_drawdown_pct.7d', 'floor_drawdown_pct.7d', ['floor']],
  ['floor_runup_pct.30d', 'floor_runup_pct.30d', ['floor']],
  ['floor_vs_average_pct.24h', 'floor_vs_average_pct.24h', ['floor']],
  ['sale_discount_pct', 'sale_discount_pct.7d', ['floor', 'lowest.7d']],
  ['sale_discount_pct.30d', 'sale_discount_pct.30d', ['floor', 'lowest.30d']],
  ['data_age_minutes', 'data_age_minutes', ['floor']],
  ['best_offer', 'best_offer', ['offer']],
  ['spread_pct', 'spread_pct', ['floor', 'offer']],
  ['gain', 'gain', ['floor']],
  ['gain_pct', 'gain_pct', ['floor']],
])('reads the metric %s as %s, with the series %s', (name, metric, series) => {
  const taken = Metric.parse(name);

  expect(taken).toBe(metric);
  expect(StoredMetric.parse(taken)).toBe(metric);
  expect(seriesOfMetric(taken)).toEqual(series);
});

it.each([
  ['lowest_price.2d', 'lowest_price.1d'],
  ['lowest_price.07d', 'lowest_price.7d'],
  ['floor_change_pct', 'floor_change_pct.1h'],
  ['floor_change_pct.2h', 'floor_change_pct.1h'],
  ['Floor-Price', 'floor_price'],
  ['flor_price', 'floor_price'],
])('rejects the metric "%s", and suggests %s', (name, meant) => {
  expect(Metric.safeParse(name).error?.issues).toMatchObject([
    { message: `unknown metric; did you mean "${meant}"?` },
  ]);
});

it.each(['', 'floor', 'silence_minutes.7d', 'toString'])(
  'rejects the metric "%s", listing the known metrics',
  (name) => {
    const [issue] = Metric.safeParse(name).error?.issues ?? [];

    expect(issue?.message).toMatch(
      /^expected floor_price, .* or [a-z_]+ with .1h .6h .24h .7d or .30d$/,
    );
  },
);

it("measures floors in the chain's native currency, sales in ETH and dollar metrics in dollars", () => {
  const polygon = CHAINS.find(({ name }) => name === 'polygon');
  const metrics = [
    'floor_price',
    'floor_price_usd',
    'lowest_price.7d',
    'floor_change_pct.7d',
  ] as const;

  expect(metrics.map((metric) => polygon && unitOfMetric(metric, polygon))).toEqual([
    'pol',
    'usd',
    'eth',
    'pol',
  ]);
  expect(metrics.map(fixedUnit)).toEqual([undefined, 'usd', 'eth', undefined]);
});

it.each([
  {
    metric: 'floor_change_pct.24h',
    window: DAY,
    percent: true,
    clock: false,
    shown: '%',
  },
  {
    metric: 'floor_runup_pct.6h',
    window: 6 * HOUR,
    percent: true,
    clock: false,
    shown: '%',
  },
  {
    metric: 'sale_discount_pct.7d',
    window: undefined,
    percent: true,
    clock: false,
    shown: '%',
  },
  {
    metric: 'data_age_minutes',
    window: undefined,
    percent: false,
    clock: true,
    shown: 'minutes',
  },
  {
    metric: 'floor_price',
    window: undefined,
    percent: false,
    clock: false,
    shown: 'eth',
  },
] as const)(
  'defines window, kind and unit of $metric',
  ({ metric, window, percent, clock, shown }) => {
    expect(windowOf(metric)).toBe(window);
    expect(isPercent(metric)).toBe(percent);
    expect(isClock(metric)).toBe(clock);
    expect(unitShown(metric, clock ? 'minutes' : 'eth')).toBe(shown);
  },
);

it('lists the instants at which a point leaves the window of a metric', () => {
  const points = [{ time: 10 }, { time: 20 }, { time: 30 }];

  expect(windowExpiriesBetween(100, points, 110, 130)).toEqual([120, 130]);
});
