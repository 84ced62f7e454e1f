import { DAY, formatInstant, type Instant, MINUTE } from './instant.ts';

/** The days of a week, in the order of `Date.getUTCDay`. */
export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

/** The minutes from midnight to a time of day, such as `08:00`. */
export function minuteOfDay(time: string): number {
  const [hour, minute] = time.split(':').map(Number);
  return (hour ?? 0) * 60 + (minute ?? 0);
}

/** Minutes of a day. */
export const DAY_MINUTES = 24 * 60;
/** Minutes of a week. */
export const WEEK_MINUTES = 7 * DAY_MINUTES;

/** The local date and time in a time zone. */
type LocalTime = {
  /** ISO 8601: `2026-11-26`. */
  readonly day: string;
  /** `08:00` */
  readonly time: string;
};

/** The local date and time at a moment in a time zone. */
export function localTime(instant: Instant, timeZone: string): LocalTime {
  const parts = new Map(
    clockIn(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const [year, month, date, hour, minute] = (
    ['year', 'month', 'day', 'hour', 'minute'] as const
  ).map((part) => parts.get(part) ?? '');
  return { day: `${year}-${month}-${date}`, time: `${hour}:${minute}` };
}

/** Adds a number of days to a date. */
export function dayAfter(day: string, days: number): string {
  return formatInstant(Date.parse(`${day}T00:00Z`) + days * DAY).slice(0, 10);
}

export function weekdayOf(day: string): (typeof WEEKDAYS)[number] {
  return WEEKDAYS[new Date(`${day}T00:00Z`).getUTCDay()] ?? 'sun';
}

/**
 * The moment of a local time. When summer time ends, a local time occurs twice: `which` selects the
 * first or the last moment. When summer time begins, some local times do not exist: for these it
 * returns the moment of the change.
 */
export function instantAt(
  { day, time }: LocalTime,
  timeZone: string,
  which: 'first' | 'last' = 'first',
): Instant {
  const wall = wallOf({ day, time });
  // The UTC offset of a zone changes at most once in two days.
  const offsetAt = (instant: Instant) => wallAt(instant, timeZone) - instant;
  const [before, after] = [wall - offsetAt(wall - DAY), wall - offsetAt(wall + DAY)];
  const shown = [before, after]
    .toSorted((a, b) => a - b)
    .filter((instant) => wallAt(instant, timeZone) === wall);
  return shown.at(which === 'first' ? 0 : -1) ?? changeBetween(after, before, wall, timeZone);
}

/**
 * The first minute between two moments at which the local time is later than `wall`, which is a
 * skipped time.
 */
function changeBetween(from: Instant, to: Instant, wall: number, timeZone: string): Instant {
  let [low, high] = [from / MINUTE, to / MINUTE];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (wallAt(middle * MINUTE, timeZone) > wall) high = middle;
    else low = middle;
  }
  return high * MINUTE;
}

/** The local time at a moment, as the instant at which UTC shows the same date and time. */
function wallAt(instant: Instant, timeZone: string): number {
  return wallOf(localTime(instant, timeZone));
}

function wallOf({ day, time }: LocalTime): number {
  return Date.parse(`${day}T${time}Z`);
}

/** Formatters by time zone. Creating one takes a hundred times as long as using it. */
const clocks = new Map<string, Intl.DateTimeFormat>();

/** The formatter of a time zone. Throws RangeError if the zone does not exist. */
export function clockIn(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-CA', {
    ...{ timeZone, hourCycle: 'h23', calendar: 'iso8601', numberingSystem: 'latn' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
  });
  clocks.set(timeZone, made);
  return made;
}

/** Formats a moment for messages, to the minute and with its time zone. */
export function momentInWords(instant: Instant, timeZone = 'UTC'): string {
  if (timeZone === 'UTC') return `${formatInstant(instant).slice(0, 16).replace('T', ' ')} UTC`;
  const { day, time } = localTime(instant, timeZone);
  const place = timeZone.slice(timeZone.lastIndexOf('/') + 1).replaceAll('_', ' ');
  return `${day} ${time} ${place} time`;
}
