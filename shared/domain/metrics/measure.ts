import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { familyOf, type Metric, partBehind, partsOfMetric, windowOf } from './metric.ts';
import type { Measure, Series } from './prices.ts';

/** A metric, the currency of its prices, and what it ignores. */
export type Quantity = {
  readonly metric: Metric;
  readonly unit: string;
  /** Of sales: the price under which one is ignored, or a hundredth of the floor. */
  readonly ignoreBelow?: Decimal | 'hundredth';
  /** Of floors: one counts only if so many sources, of different origin, report it. */
  readonly minSources?: 2;
};

/** The value of a metric at a moment, by what was known then. */
export function measure(quantity: Quantity, known: Series, at: Instant): Measure {
  const { metric, unit, ignoreBelow = 0n } = quantity;
  const { measure } = familyOf(metric);
  if (typeof measure !== 'function') throw new RangeError(`${metric} is measured by the clock`);
  return measure({
    ...{ unit, ignoreBelow },
    floors: known.get('floor') ?? [],
    latest: partsOfMetric(metric).map((part) => known.get(part)?.at(-1)),
    start: at - (windowOf(metric) ?? 0),
    at,
  });
}

/** The price behind a metric, for messages. */
export function priceBehind(metric: Metric, known: Series): PricePoint | undefined {
  const point = known.get(partBehind(metric))?.at(-1);
  return point?.kind === 'price' ? point : undefined;
}
