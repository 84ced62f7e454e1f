import type { Decimal } from './decimal.ts';
import type { Point, PricePoint } from './point.ts';

/** A floor is an outlier if the lower of two is at most so many percent of the higher. */
const FAR_PERCENT = 70n;

/** Whether a price is as far from the one before it as a glitch of a feed is: −30 %, or +43 %. */
export function isFar(point: Point, before: Point): boolean {
  const prices = pricesOf([point, before]);
  if (prices === undefined) return false;
  const [low, high] = inOrder(prices);
  return low * 100n <= high * FAR_PERCENT;
}

/** Whether a price is nearer to one than to the other, by ratio. */
export function isNearer(point: Point, one: Point, other: Point): boolean {
  const prices = pricesOf([point, one, other]);
  if (prices === undefined) return false;
  const [price, near, far] = prices;
  const [low, high] = inOrder([price, near]);
  const [lowest, highest] = inOrder([price, far]);
  return high * lowest < highest * low;
}

/**
 * Recorded floors, in the order of time, without glitches. Of an observed floor it was decided when
 * it or the next came. One that was imported or fetched later is a glitch if it is far from the one
 * before it, and the next is nearer to that.
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

/** Suspects in a row are few. */
const NEIGHBOURS = 8;

function isNoSuspect({ observedAs }: PricePoint): boolean {
  return observedAs !== 'suspect';
}

type Pair = readonly [Decimal, Decimal];

/** The prices of points in one currency; undefined if there are several currencies, or no sale. */
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
