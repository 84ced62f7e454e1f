import * as z from 'zod';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { DAY, type Instant } from '#shared/domain/market/instant.ts';
import {
  DAY_MINUTES,
  dayAfter,
  instantAt,
  localTime,
  minuteOfDay,
  WEEK_MINUTES,
  WEEKDAYS,
  weekdayOf,
} from '#shared/domain/market/local-time.ts';
import { ClockTime, TimeZone } from '#shared/domain/market/time-zone.ts';
import { Severity } from '#shared/domain/rules/severity.ts';

/**
 * Hours, on all or some days, in which people get no messages. The hours may extend into the next
 * day.
 */
const QuietHours = z.lazy(() =>
  z
    .strictObject({
      from: ClockTime,
      to: ClockTime,
      /** The days on which the hours begin; all by default. */
      days: z.array(z.enum(WEEKDAYS)).min(1).max(WEEKDAYS.length).optional(),
      /** Defaults to the time zone of the alert's list, or else to UTC. */
      timeZone: TimeZone.optional(),
      /**
       * The only severity that is held. By default, info and warning are held. Critical alerts
       * never are.
       */
      severity: Severity.exclude(['critical']).optional(),
    })
    .refine(({ from, to }) => from !== to, {
      path: ['to'],
      message: 'expected a time other than "from"; for a whole day use two entries of twelve hours',
    }),
);
type QuietHours = z.output<typeof QuietHours>;

/** The quiet hours of a channel or a list. */
export const Quiet = z.lazy(() =>
  z
    .array(QuietHours)
    .min(1, 'expected at least one entry; omit "quiet" to have no quiet hours')
    .max(14)
    .refine((hours) => leavesTime(hours), 'expected quiet hours that do not cover the whole week'),
);
export type Quiet = z.output<typeof Quiet>;

/**
 * Maximum time that quiet hours hold an alert, even if the hours of the list and the channel
 * together leave no time to send it.
 */
const LONGEST_HOLD = 7 * DAY;

/** The time until which quiet hours hold an alert; undefined if the alert may be sent now. */
export function quietUntil(
  quiet: readonly QuietHours[],
  {
    severity,
    timeZone = 'UTC',
  }: Pick<Alert, 'severity'> & { readonly timeZone?: string | undefined },
  postedAt: Instant,
  now: Instant,
): Instant | undefined {
  if (severity === 'critical') return undefined;
  const ends = quiet
    .filter((hours) => hours.severity === undefined || hours.severity === severity)
    .flatMap((hours) => endOf(hours, timeZone, now) ?? []);
  const until = Math.min(Math.max(now, ...ends), postedAt + LONGEST_HOLD);
  return until > now ? until : undefined;
}

/**
 * The end of the quiet hours if they include this moment. They may have begun on the day before.
 */
function endOf(hours: QuietHours, otherwise: string, now: Instant): Instant | undefined {
  const { from, to, days = WEEKDAYS, timeZone = otherwise } = hours;
  const today = localTime(now, timeZone).day;
  const ends = [dayAfter(today, -1), today]
    .filter((day) => days.includes(weekdayOf(day)))
    .map((day) => ({
      start: instantAt({ day, time: from }, timeZone),
      end: instantAt({ day: dayAfter(day, to < from ? 1 : 0), time: to }, timeZone, 'last'),
    }));
  return ends.find(({ start, end }) => start <= now && now < end)?.end;
}

/** The hours as spans of the week: the first minute of the week, and the number of minutes. */
function spansOf({ from, to, days = [...WEEKDAYS] }: QuietHours) {
  const minutes = (minuteOfDay(to) - minuteOfDay(from) + DAY_MINUTES) % DAY_MINUTES;
  return days.map((day) => ({
    from: WEEKDAYS.indexOf(day) * DAY_MINUTES + minuteOfDay(from),
    minutes,
  }));
}

/** Whether some minutes of the week are outside the hours. Ignores the time zones of the hours. */
function leavesTime(quiet: readonly QuietHours[]): boolean {
  const covered = new Set(
    quiet.flatMap((hours) =>
      spansOf(hours).flatMap(({ from, minutes }) =>
        Array.from({ length: minutes }, (_, index) => (from + index) % WEEK_MINUTES),
      ),
    ),
  );
  return covered.size < WEEK_MINUTES;
}
