import * as z from 'zod';
import { type Alert, alertId, type Fact, NO_PRICE } from '#shared/domain/alerting/alert.ts';
import { fact } from '#shared/domain/alerting/alert-words.ts';
import { defang } from '#shared/domain/alerting/defang.ts';
import type { Decimal } from '#shared/domain/market/decimal.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { DAY, formatInstant, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { listValue } from '#shared/domain/market/list-value.ts';
import {
  dayAfter,
  instantAt,
  localTime,
  WEEKDAYS,
  weekdayOf,
} from '#shared/domain/market/local-time.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import {
  type PriceSeriesName,
  STATISTICS_DAYS,
  type StatisticsDays,
} from '#shared/domain/market/price-series.ts';
import { ClockTime } from '#shared/domain/market/time-zone.ts';
import { spanInWords } from '#shared/domain/metrics/metric.ts';
import {
  amountInWords,
  dollarsInShort,
  levelInWords,
  metricName,
  percentMoved,
} from '#shared/domain/metrics/value-text.ts';

/** When people get a report of a list: daily, or weekly on a day. */
export const ReportTimes = z.strictObject({ every: z.enum(['day', ...WEEKDAYS]), at: ClockTime });
export type ReportTimes = z.output<typeof ReportTimes>;

/**
 * The time of the first report after a moment. The times of reports are local times in a time zone.
 */
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

/** The length of the time that a report covers, in milliseconds. */
export function reportSpan({ every }: ReportTimes): number {
  return every === 'day' ? DAY : 7 * DAY;
}

/** A collection in a report. */
export type Reported = {
  readonly name: string;
  /**
   * The collection's floors at regular intervals of the span, oldest first. An entry is undefined
   * if only an old floor was known at its time.
   */
  readonly floors: readonly (PricePoint | undefined)[];
  /** The newest floor at the end of the span, even if it is old. */
  readonly newest: PricePoint | undefined;
  /** The volume and the number of sales at the end of the span, if rules read them. */
  readonly traded?: readonly TradedStatistic[];
  /** Number of tokens that the list holds. */
  readonly amount: number;
  /** The ids of the rules that fired, one for each alert. */
  readonly fired: readonly string[];
};

/** A recorded volume or number of sales. */
export type TradedStatistic = { readonly series: TradedSeries; readonly point: PricePoint };

type TradedSeries = `${'volume' | 'sales'}.${StatisticsDays}d`;

/**
 * The series of volumes and sales that a report shows. Only series that rules read are available.
 * The series over the report's own days is preferred, then the series over the fewest days.
 */
export function tradedSeries(
  read: readonly PriceSeriesName[],
  { every }: ReportTimes,
): readonly TradedSeries[] {
  const own: StatisticsDays = every === 'day' ? 1 : 7;
  const of = (days: StatisticsDays) =>
    ([`volume.${days}d`, `sales.${days}d`] as const).filter((series) => read.includes(series));
  return [own, ...STATISTICS_DAYS].map(of).find((series) => series.length > 0) ?? [];
}

/**
 * Maximum age of a floor that counts as current. Providers with hourly floors return a new one at
 * least this often.
 */
const HOURLY = 3 * HOUR;

/** The floor, or undefined if it is too old at that moment for the cadence of polls. */
export function currentFloor(
  newest: PricePoint | undefined,
  moment: Instant,
  cadenceMinutes: number,
): PricePoint | undefined {
  if (newest === undefined) return undefined;
  const oldAfter = Math.max(HOURLY, 2 * cadenceMinutes * MINUTE);
  return moment - newest.time > oldAfter ? undefined : newest;
}

/**
 * Maximum number of collections in a report. If there are more, those that moved furthest are
 * shown.
 */
const MOST_CHANGES = 15;

/** The report of a list at a moment. Repeated calls return a report with the same id. */
export function reportAlert(
  { tenant, id, name }: { readonly tenant: string; readonly id: string; readonly name: string },
  { every }: ReportTimes,
  due: Instant,
  reported: readonly Reported[],
  firedOnValue: readonly string[] = [],
): Alert {
  const at = formatInstant(due);
  const span = every === 'day' ? 'day' : 'week';
  const moved = reported.map((one) => ({ one, move: moveOf(one) }));
  const furthest = moved.toSorted((a, b) => sizeOf(b.move) - sizeOf(a.move));
  const up = moved.filter(({ move }) => move !== undefined && move > 0).length;
  const down = moved.filter(({ move }) => move !== undefined && move < 0).length;
  const fired = [...firedOnValue, ...reported.flatMap((one) => one.fired)];
  const omitted = furthest.length - MOST_CHANGES;
  return {
    ...{ ...NO_PRICE, name },
    // No rule can have this id, because it contains spaces.
    id: alertId({ tenant, list: id, rule: 'report of list', contract: null }, due, 'report'),
    ...{ kind: 'report', tenant, watchlist: id, dataTime: at, at, severity: 'info' },
    title: `${defang(name)} in the last ${span}: ${up} up, ${down} down, ${firedInWords(fired)}`,
    facts: [
      ...valueFacts(reported, firedOnValue),
      ...furthest.slice(0, MOST_CHANGES).map(({ one }) => factOf(one, due)),
      ...fact('Not shown', omitted > 0 ? collectionsThatMovedLess(omitted) : undefined),
    ],
  };
}

/** The value of all tokens that the list holds. Collections that never had a floor are omitted. */
function valueFacts(reported: readonly Reported[], fired: readonly string[]): readonly Fact[] {
  const held = reported.filter(({ amount, newest }) => amount > 0 && newest !== undefined);
  const [first] = held;
  if (first === undefined) return [];
  const amounts = held.map(({ amount }) => amount);
  const values = first.floors.map((_, moment) => {
    const value = listValue(
      held.map(({ floors }) => floors[moment]),
      amounts,
    );
    return typeof value === 'string' ? undefined : value;
  });
  const last = values.at(-1);
  const current = last === undefined ? 'unknown (a floor is missing)' : valueInWords(last);
  return [{ name: 'Value', value: movesInWords(values, current, fired) }];
}

/** `104.5 ETH ($261k)` */
function valueInWords({ price, currency, usd }: PricePoint): string {
  const amount = amountInWords(formatDecimal(price), currency);
  const isInDollars = usd === undefined || currency === 'usd';
  return isInDollars ? amount : `${amount} (${dollarsInShort(formatDecimal(usd))})`;
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

function factOf({ name, floors, newest, traded = [], fired }: Reported, due: Instant): Fact {
  const last = floors.at(-1);
  const current =
    last !== undefined
      ? amountInWords(formatDecimal(last.price), last.currency)
      : newest === undefined
        ? 'no floor known'
        : oldFloor(newest, due);
  return { name: defang(name), value: movesInWords(floors, current, fired, traded) };
}

/** `11.94 ETH, −6.2% ▇▇▅▃▁  volume in 1 day 32.5 ETH, 41 sales  fired once` */
function movesInWords(
  prices: Reported['floors'],
  current: string,
  fired: readonly string[],
  traded: readonly TradedStatistic[] = [],
): string {
  const count = fired.length;
  const times = count === 0 ? [] : [count === 1 ? 'fired once' : `fired ${count} times`];
  if (prices.at(-1) === undefined) return [current, ...times].join(', ');
  const ends = endsOf(prices);
  const moved = ends === undefined ? [] : [percentMoved(ends.last.price, ends.first.price)];
  // Statistics need no check of their age: the provider reports them together with the floor.
  const trades = tradedInWords(traded);
  return [[current, ...moved].join(', '), sparkline(prices), ...trades, ...times].join('  ');
}

/** `volume in 7 days 32.5 ETH, 41 sales`, `12 sales in 1 day` */
function tradedInWords(traded: readonly TradedStatistic[]): readonly string[] {
  if (traded.length === 0) return [];
  const isOfVolume = traded.some(({ series }) => series.startsWith('volume'));
  const words = traded.map(({ series, point }) => {
    const value = levelInWords(series, formatDecimal(point.price), point.currency);
    if (series.startsWith('volume')) return `${metricName(series)} ${value}`;
    return isOfVolume ? value : `${value} in ${spanInWords(series)}`;
  });
  return [words.join(', ')];
}

/** `69 ETH, 3 days old` */
function oldFloor({ price, currency, time }: PricePoint, now: Instant): string {
  const [days, hours] = [DAY, HOUR].map((span) => Math.floor((now - time) / span));
  const age = days !== undefined && days > 1 ? `${days} days` : `${hours} hours`;
  return `${amountInWords(formatDecimal(price), currency)}, ${age} old`;
}

/** The change over the span, in tenths of a percent; undefined if it is unknown. */
function moveOf({ floors }: Reported): number | undefined {
  const ends = endsOf(floors);
  if (ends === undefined) return undefined;
  return Number(((ends.last.price - ends.first.price) * 1000n) / ends.first.price);
}

/** The first and the newest known floor; undefined if they cannot be compared. */
function endsOf(floors: Reported['floors']) {
  const [first, last] = [floors.find((floor) => floor !== undefined), floors.at(-1)];
  if (first === undefined || last === undefined || first.price <= 0n) return undefined;
  return first.currency === last.currency ? { first, last } : undefined;
}

function sizeOf(move: number | undefined): number {
  return move === undefined ? -1 : Math.abs(move);
}

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** Floors as a line of bar characters, with a space where no floor was known. */
function sparkline(floors: readonly (PricePoint | undefined)[]): string {
  const prices = floors.flatMap((floor) => (floor === undefined ? [] : [floor.price]));
  const least = prices.reduce((a, b) => (a < b ? a : b));
  const most = prices.reduce((a, b) => (a > b ? a : b));
  const bar = (price: Decimal) =>
    most === least ? BARS[3] : BARS[Number(((price - least) * 7n) / (most - least))];
  return floors.map((floor) => (floor === undefined ? ' ' : bar(floor.price))).join('');
}
