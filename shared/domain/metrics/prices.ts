import { type Decimal, GREATEST, ONE } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Point } from '#shared/domain/market/point.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';

/** The known points of a contract by price series, oldest first. */
export type Series = ReadonlyMap<PriceSeriesName, readonly Point[]>;

/** The reason why a metric has no value. */
type Unmeasured =
  /** The provider has not reported a value yet. */
  | 'no_data'
  /** Only one source reports the price, and the rule requires a second one. */
  | 'unconfirmed'
  /** The currency of the price differs from that of the rule. */
  | 'other_unit'
  /** The price lacks its value in dollars. */
  | 'no_usd'
  /** The recorded prices do not cover the window. */
  | 'short_window'
  /** The window contains no sale. */
  | 'no_sale'
  /** There is no collection offer. */
  | 'no_offer'
  /** The rule ignores the lowest sale because it is too low. Higher sales are unknown. */
  | 'ignored';

/** The value of a metric at a moment, or the reason why it has none. */
export type Measure =
  | {
      readonly kind: 'value';
      readonly value: Decimal;
      /** The two numbers from which a percentage, an average or a gain is computed. */
      readonly basis?: { readonly price: Decimal; readonly reference: Decimal };
    }
  | { readonly kind: 'none'; readonly why: Unmeasured };

export const HUNDRED_PERCENT = 100n * ONE;

/** The value of a price in the given unit. */
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

/** A lowest sale, or no value if the rule ignores it. */
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
 * The points that were valid in the window, and whether they cover all of it. They do not cover it
 * if the window begins in a gap, because the price before a gap may have ended at any time within
 * the gap. If several points have the same time, only the last one was valid.
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

/** `moved` in percent of `of`, truncated toward zero to 18 fraction digits. */
export function share(
  moved: Decimal,
  of: Decimal,
  basis: { readonly price: Decimal; readonly reference: Decimal },
): Measure {
  const percent = (moved * HUNDRED_PERCENT) / of;
  // Limit the percentage to the range of the threshold index, which includes every possible
  // threshold.
  const most = GREATEST - 1n;
  return { kind: 'value', value: percent > most ? most : percent < -most ? -most : percent, basis };
}
