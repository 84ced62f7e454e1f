import { isDeepStrictEqual } from 'node:util';
import { type Decimal, ONE } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Part, Point, PricePoint } from '#shared/domain/market/point.ts';
import type { Quantity } from '#shared/domain/rules/clause.ts';
import { kindOf, type Metric } from '#shared/domain/rules/metric.ts';
import { GREATEST } from '#shared/domain/rules/threshold-index.ts';

/** What is known of a contract at some moment: the points of its parts, in order of time. */
export type Series = ReadonlyMap<Part, readonly Point[]>;

/** Why a metric has no value; none of these is ever taken for a number. */
type Unmeasured =
  /** Nothing was reported yet. */
  | 'no_data'
  /** The price is reported in another currency than the rule's. */
  | 'other_unit'
  /** The price is reported without its value in dollars. */
  | 'no_usd'
  /** No price is known from before the window. */
  | 'short_window'
  /** No sale lies in the window. */
  | 'no_sale'
  /** The lowest sale is so low that the rule ignores it; what was sold above it is not known. */
  | 'ignored';

/** A metric at a moment. */
export type Measure =
  | {
      readonly kind: 'value';
      readonly value: Decimal;
      /** The price that a share is of, and the one it is measured against. */
      readonly basis?: { readonly price: Decimal; readonly reference: Decimal };
    }
  | { readonly kind: 'none'; readonly why: Unmeasured };

/**
 * The value of a metric at a moment, by what was known then.
 *
 * A price holds from its time until the next. A change is measured against the price that held at
 * the window's start; the highest and the lowest of a window include it. Where the past is not
 * known so far back, or not without a gap, there is no change, and the highest and lowest are of
 * what is known: that can but understate a drawdown or a run-up.
 */
export function measure(quantity: Quantity, known: Series, at: Instant): Measure {
  const { metric, unit, ignoreBelow = 0n } = quantity;
  const kind = kindOf(metric);
  switch (kind.kind) {
    case 'floor':
    case 'floor_usd':
      return priceIn(unit, known.get('floor')?.at(-1));
    case 'lowest':
      return sale(priceIn(unit, known.get(kind.part)?.at(-1)), ignoreBelow);
    case 'discount': {
      const floor = priceIn(unit, known.get('floor')?.at(-1));
      return discount(floor, sale(priceIn(unit, known.get(kind.part)?.at(-1)), ignoreBelow, floor));
    }
    case 'change':
      return change(unit, known.get('floor') ?? [], at - kind.window);
    case 'drop':
      return negated(change(unit, known.get('floor') ?? [], at - kind.window));
    case 'drawdown':
    case 'runup':
      return excursion(kind.kind, unit, known.get('floor') ?? [], at - kind.window);
    case 'data_age':
    case 'silence':
      throw new RangeError(`${metric} is measured by the clock`);
  }
}

/** A price as a value in some unit. */
function priceIn(unit: string, point: Point | undefined): Measure {
  if (point === undefined) return { kind: 'none', why: 'no_data' };
  if (point.kind === 'empty') return { kind: 'none', why: 'no_sale' };
  if (unit === 'usd') {
    return point.usd === undefined
      ? { kind: 'none', why: 'no_usd' }
      : { kind: 'value', value: point.usd };
  }
  return point.currency === unit
    ? { kind: 'value', value: point.price }
    : { kind: 'none', why: 'other_unit' };
}

/** Whether a point reports another price in some unit than the point before it. */
export function hasMoved(unit: string, before: Point | undefined, after: Point): boolean {
  return !isDeepStrictEqual(priceIn(unit, before), priceIn(unit, after));
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
  const kind = kindOf(metric);
  const point = known.get(kind.kind === 'lowest' ? kind.part : 'floor')?.at(-1);
  return point?.kind === 'price' ? point : undefined;
}

function discount(floor: Measure, lowest: Measure): Measure {
  if (floor.kind === 'none') return floor;
  if (lowest.kind === 'none') return lowest;
  return share(floor.value - lowest.value, floor.value, {
    price: lowest.value,
    reference: floor.value,
  });
}

/** A lowest sale, unless it is ignored. */
function sale(
  lowest: Measure,
  ignoreBelow: NonNullable<Quantity['ignoreBelow']>,
  floor?: Measure,
): Measure {
  const hundredth = floor?.kind === 'value' ? floor.value / 100n : 0n;
  const least = ignoreBelow === 'hundredth' ? hundredth : ignoreBelow;
  const isIgnored = lowest.kind === 'value' && lowest.value < least;
  return isIgnored ? { kind: 'none', why: 'ignored' } : lowest;
}

function change(unit: string, points: readonly Point[], start: Instant): Measure {
  const now = priceIn(unit, points.at(-1));
  if (now.kind === 'none') return now;
  const held = points.findLastIndex(({ time }) => time <= start);
  if (held === -1 || isAfterGap(points[held + 1])) return { kind: 'none', why: 'short_window' };
  const before = priceIn(unit, points[held]);
  if (before.kind === 'none') return before;
  return share(now.value - before.value, before.value, {
    price: now.value,
    reference: before.value,
  });
}

/** A drop is a change that is reported as a positive number. */
function negated(measured: Measure): Measure {
  return measured.kind === 'value' ? { ...measured, value: -measured.value } : measured;
}

function isAfterGap(point: Point | undefined): boolean {
  return point?.kind === 'price' && point.isAfterGap === true;
}

/** How far the last price is from the highest, or from the lowest, since a window's start. */
function excursion(
  kind: 'drawdown' | 'runup',
  unit: string,
  points: readonly Point[],
  start: Instant,
): Measure {
  const now = priceIn(unit, points.at(-1));
  if (now.kind === 'none') return now;
  let reference = now.value;
  for (let index = points.length - 1; index >= 0; index -= 1) {
    const point = points[index];
    // Unknown how far into the window it has held.
    if (point !== undefined && point.time <= start && isAfterGap(points[index + 1])) break;
    const price = priceIn(unit, point);
    // What was revised has never held.
    const isRevised = point !== undefined && points[index + 1]?.time === point.time;
    if (price.kind === 'value' && !isRevised) {
      const isFurther = kind === 'drawdown' ? price.value > reference : price.value < reference;
      if (isFurther) reference = price.value;
    }
    if (point !== undefined && point.time <= start) break;
  }
  const moved = kind === 'drawdown' ? reference - now.value : now.value - reference;
  return share(moved, reference, { price: now.value, reference });
}

/** A share in percent, cut toward zero at the 18th decimal. */
function share(
  moved: Decimal,
  of: Decimal,
  basis: { readonly price: Decimal; readonly reference: Decimal },
): Measure {
  const percent = (moved * 100n * ONE) / of;
  // What is beyond every threshold that can be written is at the end of the threshold index.
  const most = GREATEST - 1n;
  return { kind: 'value', value: percent > most ? most : percent < -most ? -most : percent, basis };
}
