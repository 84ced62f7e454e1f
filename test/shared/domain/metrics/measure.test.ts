import { describe, expect, it } from 'vitest';
import { type Decimal, formatDecimal, GREATEST } from '#shared/domain/market/decimal.ts';
import { DAY, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { Point } from '#shared/domain/market/point.ts';
import { measure } from '#shared/domain/metrics/measure.ts';
import type { Metric } from '#shared/domain/metrics/metric.ts';
import type { Measure, Series } from '#shared/domain/metrics/prices.ts';
import { aPrice, aTrade, eth, NOON } from '#test/support/builders.ts';

/** A floor this many minutes after noon. */
const floor = (minute: number, price: string, given: object = {}): Point =>
  aPrice(price, { time: NOON + minute * MINUTE, ...given });
const knowing = (floors: readonly Point[], sales: readonly Point[] = []): Series =>
  new Map([
    ['floor', floors],
    ['lowest.7d', sales],
  ]);
const traded = (volume: string, sales: string): Series =>
  new Map([
    ['volume.1d', [aPrice(volume)]],
    ['sales.1d', [aPrice(sales, { currency: 'sales' })]],
  ]);
const noSale: Point = { kind: 'empty', time: NOON };
const inDollars = { currency: 'eth', usd: eth('150000') };

const inWords = (measured: Measure) =>
  measured.kind === 'value' ? formatDecimal(measured.value) : measured.why;

it.each<readonly [Metric, unit: string, Series, expected: string]>([
  ['floor_price', 'eth', knowing([floor(0, '60'), floor(1, '59.5')]), '59.5'],
  ['floor_price', 'eth', knowing([]), 'no_data'],
  ['floor_price', 'eth', knowing([floor(0, '60', { currency: 'usdc' })]), 'other_unit'],
  ['floor_price', 'eth', new Map(), 'no_data'],
  ['floor_price_usd', 'usd', knowing([floor(0, '60', inDollars)]), '150000'],
  ['floor_price_usd', 'usd', knowing([floor(0, '60')]), 'no_usd'],
  ['lowest_price.7d', 'eth', knowing([], [aTrade('48', NOON)]), '48'],
  ['lowest_price.7d', 'eth', knowing([], [aTrade('48', NOON), noSale]), 'no_sale'],
  ['lowest_price.7d', 'eth', knowing([floor(0, '60')]), 'no_data'],
  ['sale_discount_pct.7d', 'eth', knowing([floor(0, '60')], [aTrade('48', NOON)]), '20'],
  ['sale_discount_pct.7d', 'eth', knowing([floor(0, '60')], [aTrade('66', NOON)]), '-10'],
  ['sale_discount_pct.7d', 'eth', knowing([floor(0, '60')]), 'no_data'],
  ['sale_discount_pct.7d', 'eth', knowing([floor(0, '60')], [noSale]), 'no_sale'],
  ['sale_discount_pct.7d', 'eth', knowing([], [aTrade('48', NOON)]), 'no_data'],
  ['volume.1d', 'eth', traded('32.5', '41'), '32.5'],
  ['volume.1d', 'eth', traded('0', '0'), '0'],
  ['volume.1d', 'usdc', traded('32.5', '41'), 'other_unit'],
  ['volume.7d', 'eth', traded('32.5', '41'), 'no_data'],
  ['sales.1d', 'sales', traded('0', '0'), '0'],
  ['average_price.1d', 'eth', traded('32.5', '5'), '6.5'],
  ['average_price.1d', 'eth', traded('1', '3'), '0.333333333333333333'],
  ['average_price.1d', 'eth', traded('0', '4'), '0'],
  ['average_price.1d', 'eth', traded('32.5', '0'), 'no_data'],
  ['average_price.1d', 'usdc', traded('32.5', '5'), 'other_unit'],
  ['average_price.1d', 'eth', new Map([['volume.1d', [aPrice('32.5')]]]), 'no_data'],
  ['owners', 'owners', new Map([['owners', [aPrice('5', { currency: 'owners' })]]]), '5'],
])('measures %s in %s', (metric, unit, known, expected) => {
  expect(inWords(measure({ metric, unit }, known, NOON + HOUR))).toBe(expected);
});

it.each<readonly [Metric, ignoreBelow: Decimal | 'hundredth' | undefined, sale: string, string]>([
  ['lowest_price.7d', eth('0.6'), '0.6', '0.6'],
  ['lowest_price.7d', eth('0.6'), '0.599999999999999999', 'ignored'],
  ['lowest_price.7d', 0n, '0.00000013', '0.00000013'],
  ['lowest_price.7d', undefined, '0.00000013', '0.00000013'],
  ['sale_discount_pct.7d', 'hundredth', '0.6', '99'],
  ['sale_discount_pct.7d', 'hundredth', '0.599999999999999999', 'ignored'],
  ['sale_discount_pct.7d', eth('30'), '29', 'ignored'],
  ['sale_discount_pct.7d', 0n, '0.3', '99.5'],
])(
  'ignores sales below the limit of the rule: %s, %s, %s',
  (metric, ignoreBelow, price, reported) => {
    const known = knowing([floor(0, '60')], [aTrade(price, NOON)]);
    const quantity = { metric, unit: 'eth', ...(ignoreBelow !== undefined && { ignoreBelow }) };

    expect(inWords(measure(quantity, known, NOON + HOUR))).toBe(reported);
  },
);

describe('the best offer', () => {
  const [nothing, wrapped] = [{ kind: 'empty', time: NOON } as const, aPrice('57', { time: NOON })];
  const between = (floors: readonly Point[], offers: readonly Point[]): Series =>
    new Map([
      ['floor', floors],
      ['offer', offers],
    ]);

  it.each<readonly [Metric, Series, expected: string, what: string]>([
    ['best_offer', between([], [wrapped]), '57', 'is a price'],
    ['best_offer', between([], [wrapped, nothing]), 'no_offer', 'is no price without an offer'],
    ['best_offer', between([], []), 'no_data', 'is unknown before the first answer'],
    [
      'best_offer',
      between([], [aPrice('57', { currency: 'pol' })]),
      'other_unit',
      'is unknown in another currency',
    ],
    ['spread_pct', between([floor(0, '60')], [wrapped]), '5', 'is 5% under the floor'],
    ['spread_pct', between([floor(0, '50')], [wrapped]), '-14', 'is 14% above the floor'],
    [
      'spread_pct',
      between([floor(0, '60')], [wrapped, nothing]),
      'no_offer',
      'has no spread without an offer',
    ],
    ['spread_pct', between([], [wrapped]), 'no_data', 'has no spread without a floor'],
    [
      'spread_pct',
      between([floor(0, '60', { currency: 'usdc' })], [wrapped]),
      'other_unit',
      'has no spread to a floor in another currency',
    ],
  ])('measures %s of the prices %o as %s, because it %s', (metric, known, expected) => {
    expect(inWords(measure({ metric, unit: 'eth' }, known, NOON + HOUR))).toBe(expected);
  });

  it('includes the floor in the basis of a spread', () => {
    const known = between([floor(0, '60')], [wrapped]);

    expect(measure({ metric: 'spread_pct', unit: 'eth' }, known, NOON)).toMatchObject({
      basis: { price: eth('57'), reference: eth('60') },
    });
  });
});

describe('the gain of a holding', () => {
  const holding = { cost: eth('12.5'), amount: 3n };
  const alone = { cost: eth('12.5'), amount: 1n };

  it.each<readonly [Metric, typeof holding, floor: string, expected: string]>([
    ['gain', holding, '15', '7.5'],
    ['gain', holding, '12.5', '0'],
    ['gain', holding, '10', '-7.5'],
    ['gain', alone, '15', '2.5'],
    ['gain', holding, '12.500000000000000001', '0.000000000000000003'],
    ['gain_pct', holding, '15', '20'],
    ['gain_pct', alone, '10', '-20'],
    ['gain_pct', alone, '12.5', '0'],
    ['gain_pct', { cost: eth('3'), amount: 1n }, '4', '33.333333333333333333'],
    ['gain_pct', { cost: eth('3'), amount: 1n }, '2', '-33.333333333333333333'],
    ['gain_pct', { cost: 1n, amount: 1n }, '60', formatDecimal(GREATEST - 1n)],
  ])('measures %s of the holding %o at a floor of %s as %s', (metric, of, price, expected) => {
    const measured = measure(
      { metric, unit: 'eth', holding: of },
      knowing([floor(0, price)]),
      NOON,
    );

    expect(measured).toMatchObject({ basis: { price: eth(price), reference: of.cost } });
    expect(inWords(measured)).toBe(expected);
  });

  it.each<readonly [unit: string, Series, string]>([
    ['usd', knowing([floor(0, '60', inDollars)]), '149987.5'],
    ['usd', knowing([floor(0, '60')]), 'no_usd'],
    ['eth', knowing([floor(0, '60', { currency: 'usdc' })]), 'other_unit'],
    ['eth', knowing([]), 'no_data'],
  ])('measures a gain in the unit of its cost: %s', (unit, known, expected) => {
    expect(inWords(measure({ metric: 'gain', unit, holding: alone }, known, NOON))).toBe(expected);
  });
});

describe('a change within a window', () => {
  const series = [floor(-90, '80'), floor(-60, '50'), floor(-30, '70'), floor(0, '60')];
  const gap = { isAfterGap: true };
  const missing = [floor(-90, '80'), floor(-30, '70', gap), floor(0, '60')];

  it.each<readonly [Metric, readonly Point[], expected: string, what: string]>([
    ['floor_change_pct.1h', series, '20', 'is relative to the price at the start'],
    ['floor_change_pct.6h', series, 'short_window', 'needs a price from before the start'],
    ['floor_change_pct.1h', missing, 'short_window', 'does not use a price from before a gap'],
    [
      'floor_drawdown_pct.1h',
      missing,
      '14.285714285714285714',
      'does not use a maximum from before a gap',
    ],
    ['floor_drawdown_pct.6h', missing, '25', 'uses a maximum before a gap inside the window'],
    [
      'floor_change_pct.1h',
      [floor(-90, '80'), floor(0, '60')],
      '-25',
      'is relative to the price that held at the start',
    ],
    ['floor_change_pct.1h', [floor(-90, '80')], '0', 'is zero for a constant price'],
    ['floor_change_pct.1h', [], 'no_data', 'needs a price'],
    ['floor_drawdown_pct.1h', series, '14.285714285714285714', 'is relative to the maximum'],
    [
      'floor_drawdown_pct.6h',
      series,
      '25',
      'is relative to the maximum of the known part of the window',
    ],
    ['floor_runup_pct.1h', series, '20', 'is relative to the minimum'],
    [
      'floor_runup_pct.1h',
      [floor(-90, '50'), floor(0, '60')],
      '20',
      'includes the price that held at the start',
    ],
    [
      'floor_drawdown_pct.1h',
      [floor(-90, '80'), floor(0, '60')],
      '25',
      'includes the price that held at the start',
    ],
    ['floor_drawdown_pct.1h', [floor(0, '60')], '0', 'is zero for a single price'],
    [
      'floor_drawdown_pct.1h',
      [floor(-30, '60'), floor(-10, '90'), floor(-10, '61'), floor(0, '60')],
      '1.639344262295081967',
      'ignores a revised price',
    ],
  ])('measures %s of the prices %o as %s, because it %s', (metric, floors, expected) => {
    expect(inWords(measure({ metric, unit: 'eth' }, knowing(floors), NOON))).toBe(expected);
  });

  it.each<readonly [Metric, readonly Point[], expected: string, what: string]>([
    // 20 minutes at 50, 30 at 70 and 10 at 60 give an average of 61 2/3.
    [
      'floor_vs_average_pct.1h',
      [floor(-90, '80'), floor(-60, '50'), floor(-40, '70'), floor(-10, '60')],
      '-2.702702702702702702',
      'weights each price by the time that it held in the window',
    ],
    [
      'floor_vs_average_pct.1h',
      [floor(-90, '50'), floor(-15, '60'), floor(0, '63')],
      '20',
      'includes the price that held at the start, and gives the newest price no weight yet',
    ],
    ['floor_vs_average_pct.1h', [floor(-90, '80')], '0', 'is zero for a constant price'],
    ['floor_vs_average_pct.6h', series, 'short_window', 'needs a price from before the start'],
    ['floor_vs_average_pct.1h', [], 'no_data', 'needs a price'],
    ['floor_vs_average_pct.1h', missing, 'short_window', 'has no value with a gap at the start'],
    [
      'floor_vs_average_pct.1h',
      [floor(-90, '80'), floor(-60, '50'), floor(-30, '70', gap), floor(0, '60')],
      'short_window',
      'has no value with a gap in the middle',
    ],
    [
      'floor_vs_average_pct.1h',
      [floor(-90, '80'), floor(-30, '70'), floor(0, '60', gap)],
      'short_window',
      'has no value with a gap before the newest price',
    ],
    [
      'floor_vs_average_pct.1h',
      [floor(-90, '80'), floor(-60, '50', gap), floor(-30, '70')],
      '16.666666666666666666',
      'has a value once the window begins after the gap',
    ],
    [
      'floor_vs_average_pct.1h',
      [floor(-70, '50'), floor(-30, '9000'), floor(-30, '70'), floor(0, '66')],
      '10',
      'leaves out a price that was revised',
    ],
    [
      'floor_vs_average_pct.1h',
      [floor(-70, '60'), floor(-30, '9000', { currency: 'usdc' }), floor(0, '54')],
      'other_unit',
      'has no value with a price in another currency inside the window',
    ],
    [
      'floor_vs_average_pct.1h',
      [floor(-90, '9000', { currency: 'usdc' }), floor(-70, '60'), floor(0, '54')],
      '-10',
      'has a value once a price in another currency has left the window',
    ],
  ])('measures %s of the prices %o as %s, because it %s', (metric, floors, expected) => {
    expect(inWords(measure({ metric, unit: 'eth' }, knowing(floors), NOON))).toBe(expected);
  });

  it('returns the deviation from an average with the price and the average, truncated to 18 fraction digits', () => {
    const known = knowing([floor(-90, '1'), floor(-40, '2'), floor(0, '3')]);

    expect(measure({ metric: 'floor_vs_average_pct.1h', unit: 'eth' }, known, NOON)).toEqual({
      kind: 'value',
      value: eth('80'),
      basis: { price: eth('3'), reference: eth('1.666666666666666666') },
    });
  });

  it('averages prices in dollars, and returns no average if a dollar price in the window is missing', () => {
    const inUsd = (price: string, minute: number, usd: string) =>
      floor(minute, price, { usd: eth(usd) });
    const at = (minute: number) =>
      inWords(
        measure(
          { metric: 'floor_vs_average_pct.1h', unit: 'usd' },
          knowing([
            floor(-80, '60'),
            inUsd('60', -60, '200000'),
            inUsd('60', -30, '100000'),
            inUsd('60', 0, '180000'),
          ]),
          NOON + minute * MINUTE,
        ),
      );

    expect([-1, 0, 30].map(at)).toEqual(['no_usd', '20', '28.571428571428571428']);
  });

  it('a change within a window ignores prices in another currency, but is unknown if its first or last price is in another currency', () => {
    const strange = { currency: 'usdc' };
    const between = [floor(-70, '60'), floor(-30, '9000', strange), floor(0, '54')];
    const begin = [floor(-70, '9000', strange), floor(0, '54')];
    const end = [floor(-70, '60'), floor(0, '9000', strange)];
    const change = (floors: readonly Point[]) =>
      inWords(measure({ metric: 'floor_change_pct.1h', unit: 'eth' }, knowing(floors), NOON));
    const drawdown = (floors: readonly Point[]) =>
      inWords(measure({ metric: 'floor_drawdown_pct.1h', unit: 'eth' }, knowing(floors), NOON));

    expect([between, begin, end].map(change)).toEqual(['-10', 'other_unit', 'other_unit']);
    expect([between, begin, end].map(drawdown)).toEqual(['10', '0', 'other_unit']);
  });

  it('measures a change in dollars if the unit of the rule is dollars', () => {
    const floors = [
      floor(-60, '60', { usd: eth('200000') }),
      floor(-30, '70'),
      floor(0, '60', { usd: eth('150000') }),
    ];

    expect(
      inWords(measure({ metric: 'floor_change_pct.1h', unit: 'usd' }, knowing(floors), NOON)),
    ).toBe('-25');
    expect(
      inWords(measure({ metric: 'floor_drawdown_pct.1h', unit: 'usd' }, knowing(floors), NOON)),
    ).toBe('25');
    expect(
      inWords(
        measure(
          { metric: 'floor_change_pct.1h', unit: 'usd' },
          knowing(floors),
          NOON + 30 * MINUTE,
        ),
      ),
    ).toBe('no_usd');
  });

  it('measures a window relative to the evaluation time', () => {
    const at = (minute: number) =>
      inWords(
        measure(
          { metric: 'floor_change_pct.1h', unit: 'eth' },
          knowing(series),
          NOON + minute * MINUTE,
        ),
      );

    expect([-1, 0, 29, 30, 59, 60].map(at)).toEqual([
      '-25',
      '20',
      '20',
      '-14.285714285714285714',
      '-14.285714285714285714',
      '0',
    ]);
  });
});

describe('percentages', () => {
  it.each([
    ['0.000000000000000003', '0.000000000000000002', '-33.333333333333333333'],
    ['3', '2', '-33.333333333333333333'],
    ['3', '4', '33.333333333333333333'],
    ['60', '59.999999999999999999', '-0.000000000000000001'],
    ['600', '599.999999999999999999', '0'],
  ])(
    'truncates the change from %s to %s toward zero at 18 fraction digits',
    (before, now, expected) => {
      const known = knowing([floor(-60, before), floor(0, now)]);

      expect(inWords(measure({ metric: 'floor_change_pct.1h', unit: 'eth' }, known, NOON))).toBe(
        expected,
      );
    },
  );

  it('limits a percentage to less than the index value of "no sale left"', () => {
    const known = knowing([floor(-60, '0.000000000000000001'), floor(0, '99999999999999999999')]);

    expect(measure({ metric: 'floor_change_pct.1h', unit: 'eth' }, known, NOON)).toMatchObject({
      value: GREATEST - 1n,
    });
    expect(measure({ metric: 'floor_runup_pct.1h', unit: 'eth' }, known, NOON)).toMatchObject({
      value: GREATEST - 1n,
    });
  });

  it('returns the two prices of a percentage as its basis', () => {
    const known = knowing([floor(0, '60')], [aTrade('48', NOON)]);

    expect(measure({ metric: 'sale_discount_pct.7d', unit: 'eth' }, known, NOON)).toMatchObject({
      basis: { price: eth('48'), reference: eth('60') },
    });
  });
});

it.each(['data_age_minutes', 'silence_minutes.7d'] as const)(
  'refuses to measure %s, which depends on the clock',
  (metric) => {
    expect(() => measure({ metric, unit: 'minutes' }, knowing([]), NOON + DAY)).toThrow(RangeError);
  },
);

it('measures a drop as a change with the opposite sign', () => {
  const known = new Map([
    ['floor' as const, [aPrice('100', { time: NOON - 2 * HOUR }), aPrice('88', { time: NOON })]],
  ]);

  const [drop, change] = (['floor_drop_pct.1h', 'floor_change_pct.1h'] as const).map((metric) =>
    measure({ metric, unit: 'eth' }, known, NOON),
  );

  expect([drop, change]).toMatchObject([{ value: eth('12') }, { value: eth('-12') }]);
});
