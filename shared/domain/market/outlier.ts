import type { Decimal } from './decimal.ts';
import type { Point, PricePoint } from './point.ts';

/** Two floors are far apart if the lower one is at most this percentage of the higher one. */
const FAR_PERCENT = 70n;

/**
 * Whether a price may be a glitch, because it fell by at least 30% or rose by at least 43% from the
 * previous price.
 */
export function isFar(point: Point, before: Point): boolean {
  const prices = pricesOf([point, before]);
  if (prices === undefined) return false;
  const [low, high] = inOrder(prices);
  return low * 100n <= high * FAR_PERCENT;
}

/** Whether a price is nearer, by ratio, to one price than to another. */
export function isNearer(point: Point, one: Point, other: Point): boolean {
  const prices = pricesOf([point, one, other]);
  if (prices === undefined) return false;
  const [price, near, far] = prices;
  const [low, high] = inOrder([price, near]);
  const [lowest, highest] = inOrder([price, far]);
  return high * lowest < highest * low;
}

/**
 * Removes glitches from recorded floors, which are sorted by time. Polls have already classified
 * the floors that they observed (`observedAs`). An imported or backfilled floor is a glitch if it
 * is far from the previous floor and the next floor is nearer to the previous one.
 */
export function withoutGlitches(floors: readonly PricePoint[]): readonly PricePoint[] {
  const kept: PricePoint[] = [];
  for (const [index, floor] of floors.entries()) {
    const before = floor.isAfterGap ? undefined : kept.at(-1);
    if (floor.observedAs === 'suspect') continue;
    const next = floors.slice(index + 1, index + 1 + NEIGHBOURS).find(isNoSuspect);
    const isGlitch =
      floor.observedAs === undefined &&
      before !== undefined &&
      next !== undefined &&
      isFar(floor, before) &&
      isNearer(next, before, floor);
    if (!isGlitch) kept.push(floor);
  }
  return kept;
}

/** Number of later floors that are searched for the next one that is not a suspect. */
const NEIGHBOURS = 8;

function isNoSuspect({ observedAs }: PricePoint): boolean {
  return observedAs !== 'suspect';
}

type Pair = readonly [Decimal, Decimal];

/**
 * The prices of points. Undefined if the points have several currencies, or if a point has no
 * price.
 */
function pricesOf(points: readonly [Point, Point]): Pair | undefined;
function pricesOf(
  points: readonly [Point, Point, Point],
): readonly [Decimal, Decimal, Decimal] | undefined;
function pricesOf(points: readonly Point[]): readonly Decimal[] | undefined {
  const prices = points.filter((point) => point.kind === 'price');
  const isOneMoney = new Set(prices.map(({ currency }) => currency)).size === 1;
  return isOneMoney && prices.length === points.length
    ? prices.map(({ price }) => price)
    : undefined;
}

function inOrder([one, other]: Pair): Pair {
  return one < other ? [one, other] : [other, one];
}
