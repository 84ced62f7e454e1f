/** A price at its time, as it is drawn: only here a price is a number, since a pixel is one. */
export type Drawn = { readonly time: number; readonly value: number };

/** A place of the time axis; without a value the line goes on as it was. */
export type Slot = { readonly time: number; readonly value?: number };

const STRETCHES = 500;
/** In each stretch of the axis there is room for its first, lowest, highest and last price. */
const SLOTS = 4;

/**
 * Lays prices out on an even axis of time. The chart gives each time that it is handed the same
 * width, so times without a price are handed over too; where prices are closer together than
 * there is room for, the extremes stay.
 */
export function layOut(points: readonly Drawn[], from: number, to: number): readonly Slot[] {
  const width = Math.max(1, (to - from) / STRETCHES);
  const stretches = new Map<number, Drawn[]>();
  for (const point of points) {
    const at = Math.min(Math.max(point.time, from), to);
    const index = Math.min(Math.floor((at - from) / width), STRETCHES - 1);
    const stretch = stretches.get(index) ?? [];
    stretch.push(point);
    stretches.set(index, stretch);
  }
  const last = points.at(-1);
  const slots = Array.from({ length: STRETCHES }, (_, index) => {
    const kept = extremesOf(stretches.get(index) ?? []);
    return Array.from({ length: SLOTS }, (_slot, place): Slot => {
      const time = timeOf(index * SLOTS + place, from, width);
      const point = kept[place];
      return point === undefined ? { time } : { time, value: point.value };
    });
  }).flat();
  // The last price still holds.
  return last === undefined ? slots : [...slots, { time: to, value: last.value }];
}

/** The time of a place of the axis. */
function timeOf(place: number, from: number, width: number): number {
  return from + (place / SLOTS) * width;
}

/** Dots at the places of the same axis that are nearest to their times; of several at one, the lowest. */
export function dotsOn(points: readonly Drawn[], from: number, to: number): readonly Drawn[] {
  const width = Math.max(1, (to - from) / STRETCHES);
  const lowest = new Map<number, Drawn>();
  for (const { time, value } of points) {
    if (time < from || time > to) continue;
    const nearest = Math.round(((time - from) / width) * SLOTS);
    const place = Math.min(nearest, STRETCHES * SLOTS - 1);
    const there = lowest.get(place);
    if (there === undefined || value < there.value) {
      lowest.set(place, { time: timeOf(place, from, width), value });
    }
  }
  return [...lowest.values()].toSorted((one, other) => one.time - other.time);
}

/** The first, the lowest, the highest and the last, in the order of time. */
function extremesOf(points: readonly Drawn[]): readonly Drawn[] {
  if (points.length <= SLOTS) return points;
  const values = points.map(({ value }) => value);
  const places = [
    0,
    values.indexOf(Math.min(...values)),
    values.indexOf(Math.max(...values)),
    points.length - 1,
  ];
  const kept = new Set(places);
  return points.filter((_, place) => kept.has(place));
}
