import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { Holding } from './holding.ts';
import { familyOf, type Metric, seriesOfMetric, shownSeries, windowOf } from './metric.ts';
import type { Measure, Series } from './prices.ts';

/** A metric with its unit and its filters. */
export type Quantity = {
  readonly metric: Metric;
  readonly unit: string;
  /** Sales below this price, or below a hundredth of the floor, are ignored. */
  readonly ignoreBelow?: Decimal | 'hundredth';
  /**
   * Minimum number of sources, of different origin, that must report a floor before the floor is
   * used.
   */
  readonly minSources?: 2;
  /** The holding with the cost, for gains. */
  readonly holding?: Holding;
};

/** The value of a metric at a moment, from the data known then. */
export function measure(quantity: Quantity, known: Series, at: Instant): Measure {
  const { metric, unit, ignoreBelow = 0n, holding } = quantity;
  const { measure } = familyOf(metric);
  if (typeof measure !== 'function')
    throw new RangeError(`${metric} depends on the clock, not on prices`);
  return measure({
    ...{ unit, ignoreBelow, holding },
    floors: known.get('floor') ?? [],
    latest: seriesOfMetric(metric).map((series) => known.get(series)?.at(-1)),
    start: at - (windowOf(metric) ?? 0),
    at,
  });
}

/**
 * The newest price behind a metric's value; undefined if there is none. Messages show its source
 * and its value in dollars.
 */
export function priceBehind(metric: Metric, known: Series): PricePoint | undefined {
  const point = known.get(shownSeries(metric))?.at(-1);
  return point?.kind === 'price' ? point : undefined;
}
