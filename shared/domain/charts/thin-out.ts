import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';

/** A price from a moment on, until the next. */
export type PricedAt = { readonly time: Instant; readonly price: Decimal };

/** More points than these look like one line. */
export const MOST_POINTS = 600;
/** Of each stretch of time the first and the last point stay, the lowest and the highest. */
const STRETCHES = MOST_POINTS / 4;

/** As many points as a chart can show, in the order of time; each extreme stays. */
export function thinOut(points: readonly PricedAt[]): readonly PricedAt[] {
  const [first, last] = [points[0], points.at(-1)];
  if (points.length <= MOST_POINTS || first === undefined || last === undefined) return points;
  const length = (last.time - first.time + 1) / STRETCHES;
  const stretches = Map.groupBy(points, ({ time }) => Math.floor((time - first.time) / length));
  return [...stretches.values()].flatMap((stretch) => {
    const kept = new Set([stretch[0], stretch.at(-1), extreme(stretch, -1), extreme(stretch, 1)]);
    return stretch.filter((point) => kept.has(point));
  });
}

function extreme(points: readonly PricedAt[], sign: -1 | 1): PricedAt | undefined {
  const isFurther = (price: Decimal, than: Decimal) => (sign < 0 ? price < than : price > than);
  return points.reduce<PricedAt | undefined>(
    (found, point) => (found === undefined || isFurther(point.price, found.price) ? point : found),
    undefined,
  );
}
