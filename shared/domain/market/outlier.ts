import type { Decimal } from './decimal.ts';
import { HOUR } from './instant.ts';
import type { Observation, Point, PricePoint } from './point.ts';

/** A floor is an outlier where the lower of two is at most so many percent of the higher. */
const FAR_PERCENT = 70n;

/**
 * Without a floor that confirms or contradicts it an outlier stands so long before it is taken for
 * what it is. A vendor that reports one floor a day has reported the next by then.
 */
export const STANDS_AFTER = 25 * HOUR;

/** Whether a price is as far from the one before it as a glitch of a feed would be: −30 %, or +43 %. */
export function isFar(point: Point, before: Point): boolean {
  const [price, other] = [priceBeside(point, before), priceBeside(before, point)];
  if (price === undefined || other === undefined) return false;
  const [low, high] = price < other ? [price, other] : [other, price];
  return low * 100n <= high * FAR_PERCENT;
}

/** Whether what came after an outlier is nearer to what was before it: then it was a glitch. */
export function contradicts(next: Point, outlier: Point, before: Point): boolean {
  const price = priceBeside(next, outlier);
  const [far, near] = [priceBeside(outlier, next), priceBeside(before, next)];
  if (price === undefined || far === undefined || near === undefined) return false;
  return distance(price, near) < distance(price, far);
}

/**
 * The price of an observation as it is recorded. Whether a floor was held back is decided once, with
 * what was known when it came: by floors of the time before it that are fetched later, a price by
 * which rules have gone would not have been one.
 */
export function recordedPrice({
  part,
  point,
  previous,
  standing,
}: Observation): PricePoint | undefined {
  if (point.kind !== 'price') return undefined;
  if (part !== 'floor') return point;
  if (standing !== undefined) return { ...point, observedAs: 'outlier' };
  const isDecided = point.confirmedBy !== undefined || previous?.currency === point.currency;
  return { ...point, observedAs: isDecided ? 'price' : 'alone' };
}

/**
 * Prices, in the order of time, as a rule knows them that waits for outliers to be confirmed: none
 * that the next has contradicted, and of those that it has confirmed, from when they are known.
 */
export function confirmedOf(points: readonly PricePoint[]): readonly PricePoint[] {
  const outliers = outliersAmong(points);
  if (outliers.size === 0) return points;
  return points.flatMap((point, index) => {
    const [before, next] = [points[index - 1], points[index + 1]];
    if (!outliers.has(point) || before === undefined || next === undefined) return [point];
    const isGlitch = isFar(point, before) && contradicts(next, point, before);
    return isGlitch ? [] : [{ ...point, knownFrom: next.time }];
  });
}

/**
 * The prices that are held back until the next comes, of some in the order of time: those that were,
 * and of what was only recorded, those far from the one before. The one after an outlier is none,
 * however far from it: so where two neighbours are near, it does not matter where before them one
 * began to read.
 */
export function outliersAmong(points: readonly PricePoint[]): ReadonlySet<PricePoint> {
  const outliers = new Set<PricePoint>();
  for (const [index, point] of points.entries()) {
    const before = points[index - 1];
    if (before === undefined) continue;
    // What lies in a gap may have led from one to the other.
    const isNext = !point.isAfterGap && !outliers.has(before);
    const { observedAs = 'alone' } = point;
    const isFound = observedAs === 'alone' && isNext && isFar(point, before);
    if (isFound || observedAs === 'outlier') outliers.add(point);
  }
  return outliers;
}

/** The price of a point, where another is reported in the same money. */
function priceBeside(point: Point, other: Point): Decimal | undefined {
  const isOneMoney =
    point.kind === 'price' && other.kind === 'price' && point.currency === other.currency;
  return isOneMoney ? point.price : undefined;
}

function distance(left: Decimal, right: Decimal): Decimal {
  return left < right ? right - left : left - right;
}
