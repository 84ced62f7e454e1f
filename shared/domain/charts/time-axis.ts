import { DAY, formatInstant, HOUR, type Instant } from '#shared/domain/market/instant.ts';

type TimeTick = { readonly time: Instant; readonly label: string };

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Round times of a span, in UTC: each sixth hour of a day or two, else each second day. */
export function timeTicks(from: Instant, to: Instant): readonly TimeTick[] {
  const step = to - from <= 2 * DAY ? 6 * HOUR : 2 * DAY;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.floor((to - first) / step) + 1 }, (_, index) => {
    const time = first + index * step;
    return { time, label: time % DAY === 0 ? dayOf(time) : clockOf(time) };
  });
}

/** A moment in UTC, as a chart has it: `Nov 25, 14:20 UTC`. */
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
