/** A moment: milliseconds since the epoch, UTC. */
export type Instant = number;

/** The minutes since the epoch. */
export type Minute = number;

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** No later one can be written (ECMA-262, "Time Values and Time Range"). */
export const LAST_INSTANT: Instant = 8.64e15;

/** The first whole minute after a moment: what the scheduler's next tick finds is due by then. */
export function nextMinute(last: Instant): Instant {
  return Math.floor(last / MINUTE + 1) * MINUTE;
}

/** The interface's form of a moment: ISO 8601, UTC, milliseconds. */
export function formatInstant(instant: Instant): string {
  return new Date(instant).toISOString();
}

/** A moment as the interface reports it; null where there is none. */
export function momentOf(instant: Instant | undefined): string | null {
  return instant === undefined ? null : formatInstant(instant);
}

const ISO = /^(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/;

/**
 * Reads an ISO 8601 timestamp; one without a zone is UTC, where JavaScript would say local time, and
 * one of a day that there is not, such as 30 February, is none, where it would say 2 March.
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

/** The earliest of those moments that there are. */
export function earliest(instants: readonly (Instant | undefined)[]): Instant | undefined {
  const known = instants.filter((instant) => instant !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
