const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The time since a moment: `40 s ago`, `6 min ago`, `3 h ago`, `12 d ago`. */
export function ago(moment: string, now: number): string {
  const passed = now - Date.parse(moment);
  return passed < 1000 ? 'just now' : `${span(passed)} ago`;
}

/** A span of time: `40 s`, `6 min`, `3 h`, `12 d`. */
export function span(milliseconds: number): string {
  if (milliseconds < MINUTE) return `${Math.max(0, Math.floor(milliseconds / 1000))} s`;
  if (milliseconds < 2 * HOUR) return `${Math.floor(milliseconds / MINUTE)} min`;
  if (milliseconds < 2 * DAY) return `${Math.floor(milliseconds / HOUR)} h`;
  return `${Math.floor(milliseconds / DAY)} d`;
}

/** The delay of a message: `0.8 s`, `4 s`, `6 min`. */
export function delay(seconds: number): string {
  if (seconds >= 10) return span(seconds * SECOND);
  return `${Number(seconds.toFixed(1))} s`;
}

/** Shortens a duration from the API: `654s` → `10 min`. */
export function spanInWords(duration: string): string {
  const [, number = '0', unit = 's'] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  return span(Number(number) * UNITS[unit as keyof typeof UNITS]);
}

const UNITS = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

/** A moment such as `25 Nov, 18:02`, in the time zone of the reader. */
export function moment(text: string): string {
  return MOMENT.format(new Date(text));
}

const OF_CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const TO_THE_MINUTE = { day: 'numeric', month: 'short', ...OF_CLOCK } as const;
const MOMENT = new Intl.DateTimeFormat(undefined, TO_THE_MINUTE);

/** A time such as `18:02`, in the time zone of the reader. */
export function timeOfDay(text: string): string {
  return TIME_OF_DAY.format(new Date(text));
}

const TIME_OF_DAY = new Intl.DateTimeFormat(undefined, OF_CLOCK);

/** Identifies the calendar day of a moment, in the time zone of the reader. */
export function calendarDay(moment: string | number): string {
  return startOfDay(moment, 0).toISOString();
}

/** A day: `Today`, `Yesterday`, `Fri 27 Nov`. The year is added if it is not the current year. */
export function dayInWords(moment: string, now: number): string {
  const day = calendarDay(moment);
  if (day === calendarDay(now)) return 'Today';
  if (day === startOfDay(now, -1).toISOString()) return 'Yesterday';
  const isThisYear = new Date(moment).getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? DAY_OF_YEAR : DAY_OF_OTHER_YEAR).format(new Date(moment));
}

/**
 * Midnight of the day of a moment, or of a day before or after it, in the time zone of the reader.
 */
function startOfDay(moment: string | number, later: number): Date {
  const at = new Date(moment);
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + later);
}

const OF_DAY = { weekday: 'short', day: 'numeric', month: 'short' } as const;
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, OF_DAY);
const DAY_OF_OTHER_YEAR = new Intl.DateTimeFormat(undefined, { ...OF_DAY, year: 'numeric' });

/** A moment with its weekday, such as `Wed, 25 Nov, 18:02`, in the time zone of the reader. */
export function momentOfDay(text: string): string {
  return MOMENT_OF_DAY.format(new Date(text));
}

const MOMENT_OF_DAY = new Intl.DateTimeFormat(undefined, { weekday: 'short', ...TO_THE_MINUTE });
