import * as z from 'zod';
import type { Forms } from '#shared/domain/forms.ts';
import { DAY, HOUR, MINUTE, SECOND } from './instant.ts';

/** The pattern of a written duration: `30m`, `6h`, `7d`. */
const WRITTEN = /^(\d{1,4})([mhd])$/;
const MILLISECONDS: Readonly<Record<string, number>> = { m: MINUTE, h: HOUR, d: DAY };

/**
 * Parses a duration to milliseconds; undefined unless it is 1 or more whole minutes, hours or days.
 */
export function readDuration(text: string): number | undefined {
  const [, count = '', unit = ''] = WRITTEN.exec(text) ?? [];
  const milliseconds = Number(count) * (MILLISECONDS[unit] ?? Number.NaN);
  return milliseconds > 0 ? milliseconds : undefined;
}

/** Formats a duration in the largest unit that expresses it exactly: `2d`, `36h`, `90m`, `45s`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / SECOND);
  const [unit, size] =
    UNITS.find(([, length]) => seconds >= length && seconds % length === 0) ?? (['s', 1] as const);
  return `${seconds / size}${unit}`;
}

/**
 * Converts a result of `formatDuration` to words for people, with its two largest units by default:
 * `20 min`, `19 min 53 s`, `2 d 3 h`.
 */
export function durationInWords(formatted: string, units = 2): string {
  const [, count = '0', unit] = /^(\d+)([smhd])$/.exec(formatted) ?? [];
  const [, size] = UNITS.find(([name]) => name === unit) ?? (['s', 1] as const);
  const seconds = Number(count) * size;
  const counted = SPOKEN.map(
    ([name, length, most]) => [Math.floor(seconds / length) % most, name] as const,
  );
  const first = counted.findIndex(([whole]) => whole > 0);
  const said = counted.slice(first, first + units).filter(([whole]) => whole > 0);
  return said.map(([whole, name]) => `${whole} ${name}`).join(' ') || '0 s';
}

/**
 * Truncates a duration to its largest units, so that `durationInWords` shows the result exactly.
 */
export function cutToUnits(milliseconds: number, units: number): number {
  const first = SPOKEN.findIndex(([, seconds]) => milliseconds >= seconds * SECOND);
  const [, seconds] = (first < 0 ? undefined : SPOKEN[first + units - 1]) ?? ['s', 1];
  return milliseconds - (milliseconds % (seconds * SECOND));
}

/** A duration in a rule, from one minute to 90 days. */
export const Duration = z.string().refine(
  (text) => {
    const milliseconds = readDuration(text);
    return milliseconds !== undefined && milliseconds <= 90 * DAY;
  },
  { message: 'expected a duration from 1m to 90d, for example "30m", "6h" or "7d"' },
);

export function durationForms(): Forms {
  const pattern =
    '^([1-9]\\d{0,3}m|([1-9]\\d{0,2}|1\\d{3}|20\\d{2}|21[0-5]\\d|2160)h|([1-9]|[1-8]\\d|90)d)$';
  return [[Duration, { pattern, examples: ['30m', '6h', '7d'] }]];
}

const UNITS: readonly (readonly [string, number])[] = [
  ['d', DAY / SECOND],
  ['h', HOUR / SECOND],
  ['m', MINUTE / SECOND],
];

/**
 * Units for people: the abbreviation, the seconds in one unit, and the number of units in the next
 * larger unit.
 */
const SPOKEN: readonly (readonly [string, number, number])[] = [
  ['d', DAY / SECOND, Number.POSITIVE_INFINITY],
  ['h', HOUR / SECOND, 24],
  ['min', MINUTE / SECOND, 60],
  ['s', 1, 60],
];
