/** A moment: milliseconds since the epoch, UTC. */
export type Instant = number;

/** Minutes since the epoch. */
export type Minute = number;

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The last moment that a `Date` can hold (ECMA-262, "Time Values and Time Range"). */
export const LAST_INSTANT: Instant = 8.64e15;

/** The first whole minute after a moment, at which the scheduler ticks next. */
export function nextMinute(last: Instant): Instant {
  return Math.floor(last / MINUTE + 1) * MINUTE;
}

/** Formats a moment for the API: ISO 8601, UTC, with milliseconds. */
export function formatInstant(instant: Instant): string {
  return new Date(instant).toISOString();
}

/** Formats a moment for the API; null for undefined. */
export function momentOf(instant: Instant | undefined): string | null {
  return instant === undefined ? null : formatInstant(instant);
}

const ISO = /^(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/;

/**
 * Parses an ISO 8601 timestamp. Unlike `Date.parse`, it reads a timestamp without a zone as UTC,
 * not as local time. It returns undefined for days that do not exist: `Date.parse` reads 30
 * February as 2 March.
 */
export function readInstant(text: string): Instant | undefined {
  const [written, day = '', zone] = ISO.exec(text.trim()) ?? [];
  if (written === undefined || !isDay(day)) return undefined;
  const instant = Date.parse(zone === undefined ? `${written}Z` : written);
  return Number.isNaN(instant) ? undefined : instant;
}

function isDay(day: string): boolean {
  const instant = Date.parse(day);
  return !Number.isNaN(instant) && formatInstant(instant).startsWith(day);
}

/** The earliest of the given times; undefined if all are missing. */
export function earliest(instants: readonly (Instant | undefined)[]): Instant | undefined {
  const known = instants.filter((instant) => instant !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** The latest of the given times; undefined if all are missing. */
export function latest(instants: readonly (Instant | undefined)[]): Instant | undefined {
  const known = instants.filter((instant) => instant !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
