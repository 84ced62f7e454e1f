import * as z from 'zod';
import { meantInstead } from '#shared/domain/nearest.ts';
import { formatInstant, type Instant, MINUTE } from './instant.ts';

/** A time zone by its name in the IANA database, as `Europe/Berlin`. */
export const TimeZone = z.string().superRefine((name, context) => {
  if (isTimeZone(name)) return;
  const nearest = meantInstead(name, ['UTC', ...Intl.supportedValuesOf('timeZone')]);
  context.addIssue({
    code: 'custom',
    message: `expected a time zone such as "Europe/Berlin"; ${nearest}`,
  });
});

/** Offsets, such as `+02:00`, are refused: they know no summer time. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]{1,49}$/.test(name)) return false;
  try {
    return clockIn(name) !== undefined;
  } catch {
    return false;
  }
}

/** The days of a week, in the order of `Date.getUTCDay`. */
export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

/** A time of day, as clocks show it. */
export const ClockTime = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'expected a time of day from "00:00" to "23:59"');

/** Minutes since the midnight of a day. */
export function minuteOfDay(time: string): number {
  const [hour, minute] = time.split(':').map(Number);
  return (hour ?? 0) * 60 + (minute ?? 0);
}

/** Minutes of a day. */
export const DAY_MINUTES = 24 * 60;
/** Minutes of a week. */
export const WEEK_MINUTES = 7 * DAY_MINUTES;

/** What clock and calendar show somewhere. */
type LocalTime = {
  /** ISO 8601: `2026-11-26`. */
  readonly day: string;
  /** `08:00` */
  readonly time: string;
  /** Since the beginning of its Sunday. */
  readonly minuteOfWeek: number;
};

/** What clock and calendar show at a moment in a time zone. */
export function localTime(instant: Instant, timeZone: string): LocalTime {
  const parts = new Map(
    clockIn(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const [year, month, date, hour, minute] = (
    ['year', 'month', 'day', 'hour', 'minute'] as const
  ).map((part) => parts.get(part) ?? '');
  const day = `${year}-${month}-${date}`;
  const weekday = new Date(`${day}T00:00Z`).getUTCDay();
  const minuteOfWeek = weekday * DAY_MINUTES + Number(hour) * 60 + Number(minute);
  return { day, time: `${hour}:${minute}`, minuteOfWeek };
}

/** To make one takes a hundred times as long as to use it. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockIn(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-CA', {
    ...{ timeZone, hourCycle: 'h23', calendar: 'iso8601', numberingSystem: 'latn' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
  });
  clocks.set(timeZone, made);
  return made;
}

/**
 * The first moment after another at which clocks have gone on by so many minutes; an hour more or less
 * where summer time begins or ends between the two.
 */
export function afterLocalMinutes(instant: Instant, minutes: number, timeZone: string): Instant {
  const whole = Math.floor(instant / MINUTE) * MINUTE;
  const expected = localTime(instant, timeZone).minuteOfWeek + minutes;
  const at = whole + minutes * MINUTE;
  const half = WEEK_MINUTES / 2;
  const difference = expected - localTime(at, timeZone).minuteOfWeek + half;
  const moved = ((difference % WEEK_MINUTES) + WEEK_MINUTES) % WEEK_MINUTES;
  const corrected = at + (moved - half) * MINUTE;
  // A time that a change of clocks leaves out is reached with the one after it.
  return corrected > instant ? corrected : at;
}

/** A moment as people read it in a message: to the minute, with its zone. */
export function momentInWords(instant: Instant, timeZone = 'UTC'): string {
  if (timeZone === 'UTC') return `${formatInstant(instant).slice(0, 16).replace('T', ' ')} UTC`;
  const { day, time } = localTime(instant, timeZone);
  const place = timeZone.slice(timeZone.lastIndexOf('/') + 1).replaceAll('_', ' ');
  return `${day} ${time} ${place} time`;
}
