import { isDeepStrictEqual } from 'node:util';
import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Observation, Point, PricePoint } from '#shared/domain/market/point.ts';
import { familyOf, type Metric, partBehind, salesOf, windowOf } from './metric.ts';
import { type Measure, priceIn, type Series } from './prices.ts';

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
    floors: (known.get('floor') ?? []).map((floor) => floorFor(quantity, floor)),
    sale: known.get(salesOf(metric))?.at(-1),
    start: at - (windowOf(metric) ?? 0),
    at,
  });
}

/** Whether an observation reports another price than was known before it. */
export function hasMoved(
  quantity: Quantity,
  { part, previous, point }: Pick<Observation, 'part' | 'previous' | 'point'>,
): boolean {
  const priceOf = (reported: Point | undefined) =>
    priceIn(quantity.unit, part === 'floor' && reported ? floorFor(quantity, reported) : reported);
  return !isDeepStrictEqual(priceOf(previous), priceOf(point));
}

function floorFor({ minSources }: Quantity, floor: Point): Point {
  const isKnown = minSources === undefined || floor.kind === 'empty' || floor.confirmedBy;
  return isKnown ? floor : { ...floor, isWithheld: true };
}

/** The part of what is known that lies at an instant or before it. */
export function knownAt(known: Series, instant: Instant): Series {
  return new Map(
    [...known].map(([part, points]) => [part, points.filter((point) => isKnownAt(point, instant))]),
  );
}

export function isKnownAt(point: Point, instant: Instant): boolean {
  const knownFrom = point.kind === 'price' ? point.knownFrom : undefined;
  return (knownFrom ?? point.time) <= instant;
}

/** The time of the newest that is known; zero where nothing is. */
export function newestTime(known: Series): Instant {
  return Math.max(0, ...[...known.values()].flatMap((points) => points.at(-1)?.time ?? []));
}

/** The price behind a metric, for messages. */
export function priceBehind(metric: Metric, known: Series): PricePoint | undefined {
  const point = known.get(partBehind(metric))?.at(-1);
  return point?.kind === 'price' ? point : undefined;
}
