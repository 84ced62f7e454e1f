import { DAY, formatInstant, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';

type TimeTick = { readonly time: Instant; readonly label: string };

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const STEPS = [15 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, DAY, 2 * DAY];
const MOST_TICKS = 5;

/**
 * At most five round times of a span in UTC: every six hours of a day, every two days of a week.
 */
export function timeTicks(from: Instant, to: Instant): readonly TimeTick[] {
  const step = STEPS.find((length) => (to - from) / length < MOST_TICKS) ?? 2 * DAY;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.floor((to - first) / step) + 1 }, (_, index) => {
    const time = first + index * step;
    return { time, label: time % DAY === 0 ? dayOf(time) : clockOf(time) };
  });
}

/** A time in a chart, in UTC: `Nov 25, 14:20 UTC`. */
export function momentLabel(time: Instant): string {
  return `${dayOf(time)}, ${clockOf(time)} UTC`;
}

function dayOf(time: Instant): string {
  const [, month, day] = formatInstant(time).slice(0, 10).split('-');
  return `${MONTHS[Number(month) - 1]} ${Number(day)}`;
}

function clockOf(time: Instant): string {
  return formatInstant(time).slice(11, 16);
}
