import type { PricePoint } from '#shared/domain/market/point.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import type { Step, Timeline } from './timeline.ts';

/**
 * The prices of a series in steps, in the form in which they are recorded. A suspect has
 * `observedAs: 'suspect'` until a step accepts it.
 */
export function recordedPoints(
  { steps, before, late = [] }: Timeline,
  series: PriceSeriesName,
): readonly PricePoint[] {
  if (series !== 'floor') {
    return steps.flatMap(({ points }) => pricesIn(points[series]));
  }
  const recorded = new Map<number, PricePoint>(late.map((floor) => [floor.time, floor]));
  let accepted = before.floor?.time;
  for (const { points } of steps) {
    for (const floor of pricesIn(points.floor)) {
      recorded.set(floor.time, { ...floor, observedAs: 'price' });
      accepted = floor.time;
    }
    // A withheld revision does not replace the accepted price.
    const suspects = isSuspect(points) ? pricesIn(points.reported) : [];
    for (const suspect of suspects) {
      if (suspect.time !== accepted)
        recorded.set(suspect.time, { ...suspect, observedAs: 'suspect' });
    }
    // A second source has confirmed a floor that was recorded before.
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
