import { type Decimal, GREATEST, ONE } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Part, Point } from '#shared/domain/market/point.ts';

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

/** A price as a value in some unit. */
export function priceIn(unit: string, point: Point | undefined): Measure {
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

/** How far a lowest sale is under the floor. */
export function discount(floor: Measure, lowest: Measure): Measure {
  if (floor.kind === 'none') return floor;
  if (lowest.kind === 'none') return lowest;
  return share(floor.value - lowest.value, floor.value, {
    price: lowest.value,
    reference: floor.value,
  });
}

/** A lowest sale, unless it is ignored. */
export function sale(
  lowest: Measure,
  ignoreBelow: Decimal | 'hundredth',
  floor?: Measure,
): Measure {
  const hundredth = floor?.kind === 'value' ? floor.value / 100n : 0n;
  const least = ignoreBelow === 'hundredth' ? hundredth : ignoreBelow;
  const isIgnored = lowest.kind === 'value' && lowest.value < least;
  return isIgnored ? { kind: 'none', why: 'ignored' } : lowest;
}

/** The last price against the one that held at a window's start. */
export function change(unit: string, points: readonly Point[], start: Instant): Measure {
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
export function negated(measured: Measure): Measure {
  return measured.kind === 'value' ? { ...measured, value: -measured.value } : measured;
}

function isAfterGap(point: Point | undefined): boolean {
  return point?.kind === 'price' && point.isAfterGap === true;
}

/** How far the last price is from the highest, or from the lowest, since a window's start. */
export function excursion(
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
