import { type Decimal, GREATEST, ONE } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Point } from '#shared/domain/market/point.ts';
import type { Part } from '#shared/domain/market/price-series.ts';

/** What is known of a contract at some moment: the points of its parts, in order of time. */
export type Series = ReadonlyMap<Part, readonly Point[]>;

/** Why a metric has no value; none of these is ever taken for a number. */
type Unmeasured =
  /** Nothing was reported yet. */
  | 'no_data'
  /** One source alone reports the price, and the rule waits for a second. */
  | 'unconfirmed'
  /** The price is reported in another currency than the rule's. */
  | 'other_unit'
  /** The price is reported without its value in dollars. */
  | 'no_usd'
  /** No price is known from before the window. */
  | 'short_window'
  /** No sale lies in the window. */
  | 'no_sale'
  /** There is no collection offer. */
  | 'no_offer'
  /** The lowest sale is so low that the rule ignores it; what was sold above it is not known. */
  | 'ignored';

/** A metric at a moment. */
export type Measure =
  | {
      readonly kind: 'value';
      readonly value: Decimal;
      /** The price that a share or an average is of, and the number it is divided by. */
      readonly basis?: { readonly price: Decimal; readonly reference: Decimal };
    }
  | { readonly kind: 'none'; readonly why: Unmeasured };

export const HUNDRED_PERCENT = 100n * ONE;

/** A price as a value in some unit. */
export function priceIn(unit: string, point: Point | undefined): Measure {
  if (point === undefined) return { kind: 'none', why: 'no_data' };
  if (point.kind === 'empty') return { kind: 'none', why: 'no_sale' };
  if (point.isWithheld) return { kind: 'none', why: 'unconfirmed' };
  if (unit === 'usd') {
    return point.usd === undefined
      ? { kind: 'none', why: 'no_usd' }
      : { kind: 'value', value: point.usd };
  }
  return point.currency === unit
    ? { kind: 'value', value: point.price }
    : { kind: 'none', why: 'other_unit' };
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

/**
 * The points that have held since a window's start, and whether they are known for all of it: what
 * held before a gap may have ended anywhere in it. What was revised has never held.
 */
export function heldSince(
  points: readonly Point[],
  start: Instant,
): { readonly points: readonly Point[]; readonly isWhole: boolean } {
  const first = points.findLastIndex(({ time }) => time <= start);
  const next = points[first + 1];
  const isWhole = first !== -1 && !(next?.kind === 'price' && next.isAfterGap === true);
  const since = points.slice(isWhole ? first : first + 1);
  return {
    points: since.filter(({ time }, index) => since[index + 1]?.time !== time),
    isWhole,
  };
}

/** A share in percent, cut toward zero at the 18th decimal. */
export function share(
  moved: Decimal,
  of: Decimal,
  basis: { readonly price: Decimal; readonly reference: Decimal },
): Measure {
  const percent = (moved * HUNDRED_PERCENT) / of;
  // What is beyond every threshold that can be written is at the end of the threshold index.
  const most = GREATEST - 1n;
  return { kind: 'value', value: percent > most ? most : percent < -most ? -most : percent, basis };
}
