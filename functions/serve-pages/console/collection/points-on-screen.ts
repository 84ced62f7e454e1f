/** A price as a number, for drawing. All other code keeps prices as decimal strings. */
export type Drawn = { readonly time: number; readonly value: number };

/** A place on the time axis. Without a value, the line continues at the last value. */
export type Slot = { readonly time: number; readonly value?: number };

/** The time axis is divided into stretches of equal duration. */
const STRETCHES = 500;
/** The number of places in a stretch: for its first, lowest, highest and last price. */
const SLOTS = 4;

/**
 * Lays prices out on an even time axis. The chart draws all points at equal distances, whatever
 * their times, so the result includes places without a price. A stretch with more prices than
 * places keeps only its extremes.
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
  // The last price is valid until the end of the axis.
  return last === undefined ? slots : [...slots, { time: to, value: last.value }];
}

/** The time of a place on the axis. */
function timeOf(place: number, from: number, width: number): number {
  return from + (place / SLOTS) * width;
}

/** Moves each dot to the nearest place on the axis. Only the lowest dot at a place remains. */
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

/** The first, lowest, highest and last of the given points, sorted by time. */
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
