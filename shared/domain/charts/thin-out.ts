import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';

/** A price that is valid from its time until the time of the next price. */
export type PricedAt = { readonly time: Instant; readonly price: Decimal };

/** Each section keeps its first, last, lowest and highest point. */
const KEPT_OF_A_STRETCH = 4;

/** Reduces points to a maximum number, but keeps the extremes. The points are sorted by time. */
export function thinOut<Point extends PricedAt>(
  points: readonly Point[],
  most: number,
): readonly Point[] {
  const [first, last] = [points[0], points.at(-1)];
  if (points.length <= most || first === undefined || last === undefined) return points;
  const length = (last.time - first.time + 1) / Math.floor(most / KEPT_OF_A_STRETCH);
  const stretches = Map.groupBy(points, ({ time }) => Math.floor((time - first.time) / length));
  return [...stretches.values()].flatMap((stretch) => {
    const kept = new Set([stretch[0], stretch.at(-1), extreme(stretch, -1), extreme(stretch, 1)]);
    return stretch.filter((point) => kept.has(point));
  });
}

function extreme<Point extends PricedAt>(
  points: readonly Point[],
  sign: -1 | 1,
): Point | undefined {
  const isFurther = (price: Decimal, than: Decimal) => (sign < 0 ? price < than : price > than);
  return points.reduce<Point | undefined>(
    (found, point) => (found === undefined || isFurther(point.price, found.price) ? point : found),
    undefined,
  );
}
