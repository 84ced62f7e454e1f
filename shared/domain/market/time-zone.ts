import * as z from 'zod';
import { meantInstead } from '#shared/domain/nearest.ts';
import { clockIn } from './local-time.ts';

/** A time zone by its name in the IANA database, such as `Europe/Berlin`. */
export const TimeZone = z.string().superRefine((name, context) => {
  if (isTimeZone(name)) return;
  const nearest = meantInstead(name, ['UTC', ...Intl.supportedValuesOf('timeZone')]);
  context.addIssue({
    code: 'custom',
    message: `expected a time zone such as "Europe/Berlin"; ${nearest}`,
  });
});

/** Rejects offsets such as `+02:00`, because they do not follow summer time. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]{1,49}$/.test(name)) return false;
  try {
    return clockIn(name) !== undefined;
  } catch {
    return false;
  }
}

/** A local time of day, `HH:MM`. */
export const ClockTime = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'expected a time of day from "00:00" to "23:59"');
