import * as z from 'zod';
import { type Alert, alertId, type Fact, NO_PRICE } from '#shared/domain/alerting/alert.ts';
import { fact } from '#shared/domain/alerting/alert-words.ts';
import { inert } from '#shared/domain/alerting/inert-text.ts';
import type { Decimal } from '#shared/domain/market/decimal.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { DAY, formatInstant, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import {
  dayAfter,
  instantAt,
  localTime,
  WEEKDAYS,
  weekdayOf,
} from '#shared/domain/market/local-time.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import {
  type Part,
  STATISTICS_DAYS,
  type StatisticsDays,
} from '#shared/domain/market/price-series.ts';
import { ClockTime } from '#shared/domain/market/time-zone.ts';
import { spanInWords } from '#shared/domain/metrics/metric.ts';
import {
  amountInWords,
  levelInWords,
  metricName,
  percentMoved,
} from '#shared/domain/metrics/value-text.ts';

/** When people get a report of a list: each day, or on one day of each week. */
export const ReportTimes = z.strictObject({ every: z.enum(['day', ...WEEKDAYS]), at: ClockTime });
export type ReportTimes = z.output<typeof ReportTimes>;

/** The first report after a moment: one for each day, or week, of a time zone. */
export function nextReport(
  { every, at }: ReportTimes,
  timeZone: string | undefined = 'UTC',
  after: Instant,
): Instant {
  let { day } = localTime(after, timeZone);
  for (;;) {
    const instant = instantAt({ day, time: at }, timeZone);
    if (instant > after && (every === 'day' || every === weekdayOf(day))) return instant;
    day = dayAfter(day, 1);
  }
}

/** What a report looks back on. */
export function reportSpan({ every }: ReportTimes): number {
  return every === 'day' ? DAY : 7 * DAY;
}

/** A collection in a report. */
export type Reported = {
  readonly name: string;
  /** Its floors at even steps of the span, oldest first; undefined where only an old one was known. */
  readonly floors: readonly (PricePoint | undefined)[];
  /** The newest floor at the end of the span, however old. */
  readonly newest: PricePoint | undefined;
  /** The volume and the number of sales at the end of the span, as far as rules read them. */
  readonly traded?: readonly TradedStatistic[];
  /** The rule of each alert that fired. */
  readonly fired: readonly string[];
};

/** A recorded volume or number of sales. */
export type TradedStatistic = { readonly part: TradedPart; readonly point: PricePoint };

type TradedPart = `${'volume' | 'sales'}.${StatisticsDays}d`;

/**
 * The series of trades in a report. Rules must read them. The days of the report come first, then the
 * fewest days.
 */
export function tradedParts(read: readonly Part[], { every }: ReportTimes): readonly TradedPart[] {
  const own: StatisticsDays = every === 'day' ? 1 : 7;
  const of = (days: StatisticsDays) =>
    ([`volume.${days}d`, `sales.${days}d`] as const).filter((part) => read.includes(part));
  return [own, ...STATISTICS_DAYS].map(of).find((parts) => parts.length > 0) ?? [];
}

/** Hourly floors of a provider are never older while they come. */
const HOURLY = 3 * HOUR;

/** The floor if it is the floor of that moment; undefined if it is an old one, at a cadence of polls. */
export function currentFloor(
  newest: PricePoint | undefined,
  moment: Instant,
  cadenceMinutes: number,
): PricePoint | undefined {
  if (newest === undefined) return undefined;
  const oldAfter = Math.max(HOURLY, 2 * cadenceMinutes * MINUTE);
  return moment - newest.time > oldAfter ? undefined : newest;
}

/** So many collections are told of, those that moved furthest first. */
const TOLD = 15;

/** The report of a list at a moment. Repetitions make the same alert. */
export function reportAlert(
  { tenant, id, name }: { readonly tenant: string; readonly id: string; readonly name: string },
  { every }: ReportTimes,
  due: Instant,
  reported: readonly Reported[],
): Alert {
  const at = formatInstant(due);
  const span = every === 'day' ? 'day' : 'week';
  const moved = reported.map((one) => ({ one, move: moveOf(one) }));
  const furthest = moved.toSorted((a, b) => sizeOf(b.move) - sizeOf(a.move));
  const up = moved.filter(({ move }) => move !== undefined && move > 0).length;
  const down = moved.filter(({ move }) => move !== undefined && move < 0).length;
  const fired = reported.flatMap((one) => one.fired);
  const untold = furthest.length - TOLD;
  return {
    ...{ ...NO_PRICE, name },
    // No rule has such an id.
    id: alertId({ tenant, list: id, rule: 'report of list', contract: null }, due, 'report'),
    ...{ kind: 'report', tenant, watchlist: id, dataTime: at, at, severity: 'info' },
    title: `${inert(name)}, the last ${span}: ${up} up, ${down} down, ${firedInWords(fired)}`,
    facts: [
      ...furthest.slice(0, TOLD).map(({ one }) => factOf(one, due)),
      ...fact('Not shown', untold > 0 ? collectionsThatMovedLess(untold) : undefined),
    ],
  };
}

function collectionsThatMovedLess(count: number): string {
  return `${count} ${count === 1 ? 'collection that moved less' : 'collections that moved less'}`;
}

/** `2 rules fired 5 times` */
function firedInWords(fired: readonly string[]): string {
  const rules = new Set(fired).size;
  const what = rules === 1 ? '1 rule fired' : `${rules} rules fired`;
  return fired.length === rules ? what : `${what} ${fired.length} times`;
}

/** `11.94 ETH, −6.2 % ▇▇▅▃▁  volume in 1 day 32.5 ETH, 41 sales  fired once` */
function factOf({ name, floors, newest, traded = [], fired }: Reported, due: Instant): Fact {
  const last = floors.at(-1);
  const count = fired.length;
  const times = count === 0 ? [] : [count === 1 ? 'fired once' : `fired ${count} times`];
  if (last === undefined) {
    const known = newest === undefined ? 'no floor known' : oldFloor(newest, due);
    return { name: inert(name), value: [known, ...times].join(', ') };
  }
  const ends = endsOf(floors);
  const moved = ends === undefined ? [] : [percentMoved(ends.last.price, ends.first.price)];
  const amount = amountInWords(formatDecimal(last.price), last.currency);
  const line = sparkline(floors);
  // The statistics come with the floor, so those beside an old one are old too.
  const trades = tradedInWords(traded);
  return {
    name: inert(name),
    value: [[amount, ...moved].join(', '), line, ...trades, ...times].join('  '),
  };
}

/** `volume in 7 days 32.5 ETH, 41 sales`, `12 sales in 1 day` */
function tradedInWords(traded: readonly TradedStatistic[]): readonly string[] {
  if (traded.length === 0) return [];
  const isOfVolume = traded.some(({ part }) => part.startsWith('volume'));
  const words = traded.map(({ part, point }) => {
    const value = levelInWords(part, formatDecimal(point.price), point.currency);
    if (part.startsWith('volume')) return `${metricName(part)} ${value}`;
    return isOfVolume ? value : `${value} in ${spanInWords(part)}`;
  });
  return [words.join(', ')];
}

/** `69 ETH, 3 days old` */
function oldFloor({ price, currency, time }: PricePoint, now: Instant): string {
  const [days, hours] = [DAY, HOUR].map((span) => Math.floor((now - time) / span));
  const age = days !== undefined && days > 1 ? `${days} days` : `${hours} hours`;
  return `${amountInWords(formatDecimal(price), currency)}, ${age} old`;
}

/** The move over the span in tenths of a percent; undefined where it is not known. */
function moveOf({ floors }: Reported): number | undefined {
  const ends = endsOf(floors);
  if (ends === undefined) return undefined;
  return Number(((ends.last.price - ends.first.price) * 1000n) / ends.first.price);
}

/** The first floor that was known and the newest; undefined where they cannot be compared. */
function endsOf(floors: Reported['floors']) {
  const [first, last] = [floors.find((floor) => floor !== undefined), floors.at(-1)];
  if (first === undefined || last === undefined || first.price <= 0n) return undefined;
  return first.currency === last.currency ? { first, last } : undefined;
}

function sizeOf(move: number | undefined): number {
  return move === undefined ? -1 : Math.abs(move);
}

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** Floors as a line of characters, from the lowest to the highest; a gap where none was known. */
function sparkline(floors: readonly (PricePoint | undefined)[]): string {
  const prices = floors.flatMap((floor) => (floor === undefined ? [] : [floor.price]));
  const least = prices.reduce((a, b) => (a < b ? a : b));
  const most = prices.reduce((a, b) => (a > b ? a : b));
  const bar = (price: Decimal) =>
    most === least ? BARS[3] : BARS[Number(((price - least) * 7n) / (most - least))];
  return floors.map((floor) => (floor === undefined ? ' ' : bar(floor.price))).join('');
}
