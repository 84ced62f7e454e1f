import type { PricePoint } from '#shared/domain/market/point.ts';
import type { Part } from '#shared/domain/market/price-series.ts';
import type { Step, Timeline } from './timeline.ts';

/**
 * The prices of a part that steps bring, as they are recorded. A suspect is recorded as one until a
 * step makes it a floor that counts.
 */
export function recordedPoints(
  { steps, before, late = [] }: Timeline,
  part: Part,
): readonly PricePoint[] {
  if (part !== 'floor') {
    return steps.flatMap(({ points }) => pricesIn(points[part]));
  }
  const recorded = new Map<number, PricePoint>(late.map((floor) => [floor.time, floor]));
  let accepted = before.floor?.time;
  for (const { points } of steps) {
    for (const floor of pricesIn(points.floor)) {
      recorded.set(floor.time, { ...floor, observedAs: 'price' });
      accepted = floor.time;
    }
    // A revision that is held back leaves the price that counts.
    const suspects = isSuspect(points) ? pricesIn(points.reported) : [];
    for (const suspect of suspects) {
      if (suspect.time !== accepted)
        recorded.set(suspect.time, { ...suspect, observedAs: 'suspect' });
    }
    // A second source has followed.
    for (const { isWithheld, ...agreed } of pricesIn(points.agreed)) {
      if (isWithheld === undefined && points.reported === undefined) {
        recorded.set(agreed.time, { ...agreed, observedAs: 'price' });
      }
    }
  }
  return [...recorded.values()];
}

function isSuspect({ reported, floor }: Step['points']): boolean {
  return reported !== undefined && floor === undefined;
}

function pricesIn(point: Step['points'][keyof Step['points']]): readonly PricePoint[] {
  return point?.kind === 'price' ? [point] : [];
}
