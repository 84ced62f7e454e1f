import type { Decimal } from '#shared/domain/market/decimal.ts';
import { DAY, HOUR, type Instant } from '#shared/domain/market/instant.ts';
import type { Point } from '#shared/domain/market/point.ts';
import {
  LOOK_BACK_DAYS,
  type Part,
  STATISTICS_DAYS,
  type StatisticsDays,
  type StatisticsPart,
} from '#shared/domain/market/price-series.ts';
import type { Measure } from './prices.ts';

/** The spans of data time over which a floor's moves are measured. */
export const WINDOWS = {
  ...{ '1h': HOUR, '6h': 6 * HOUR, '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY },
} as const;
/** How far a lowest sale looks back. */
export const LOOK_BACKS = LOOK_BACK_DAYS.map((days) => `${days}d` as const);

/** The days that statistics are counted over. */
export const PERIODS = STATISTICS_DAYS.map((days) => `${days}d` as const);

/** Metrics of one name, each with one of the spans that may follow it: all that is said of them. */
export type Family = Meaning & Span;

/**
 * What follows the name: a window of data time, the days that a lowest sale looks back, the period
 * that statistics are counted over, or a series of statistics.
 */
type Span =
  | { readonly over: 'window'; readonly basis: Basis }
  | { readonly over: 'days' | 'period' | 'series' | 'nothing'; readonly basis?: Basis };

/** The span in the name of a metric, by kind. A metric has one kind; its other values are unused. */
export type SpanValues = {
  /** The series with the lowest sales of its days. */
  readonly sales: Part;
  readonly period: StatisticsDays;
  readonly series: StatisticsPart;
};

/**
 * What the prices are called that a value is worked out of; `span` as in its name. A value of a window
 * is no price of its own, so its messages need them.
 */
type Basis = (span: string) => {
  readonly price: string;
  readonly reference: string;
  /** The unit of the reference if it differs from the unit of the price. */
  readonly referenceUnit?: string;
};

type Meaning = {
  /** Whether it is for `noData` alone, and no rule may name it. */
  readonly isInternal?: true;
  /**
   * The series that it is measured from. Messages show the value of the first.
   */
  readonly partsOf: (span: SpanValues) => readonly [Part, ...Part[]];
  /** Whether it has no value where no sale is left. */
  readonly readsSales: boolean;
  /** Whether it is a share of a price, in percent. */
  readonly isPercent: boolean;
  /** The only unit of its prices; `any` where a rule may choose, dollars included. */
  readonly unit:
    | 'usd'
    | 'eth'
    | 'minutes'
    | 'sales'
    | 'owners'
    | 'any'
    | { readonly anyBut: 'usd'; readonly use: string | undefined };
  /** Between which numbers a threshold makes sense: no price falls by all of itself. */
  readonly thresholds: { readonly above?: Decimal; readonly below?: Decimal };
  /**
   * Between which numbers its values usually are; of a price in percent of the floor. Thresholds of
   * random rules are taken from there.
   */
  readonly usual: { readonly from: number; readonly to: number };
  /** How long a rule of it must have recovered that has no `keepFor`. */
  readonly usualKeepFor: number | undefined;
  /** How many digits behind the point messages have; in numbers that are compared, all stay. */
  readonly digits: number | 'all';
  /** Of a change, which is written with its sign: the family that counts falls as positive. */
  readonly signed: false | { readonly falls: string };
  readonly measure: ((asked: Asked) => Measure) | Clock;
  /** Its name in a sentence; `span` is `24h` for a window, `7 days` for days. */
  readonly named: (span: string) => string;
  /** For the OpenAPI document. */
  readonly described: string;
};

/** What a metric is measured from. */
type Asked = {
  readonly floors: readonly Point[];
  /** The newest point of each of its series, in their order. */
  readonly latest: readonly (Point | undefined)[];
  /** The currency that prices are read in. */
  readonly unit: string;
  /** The price under which a sale is ignored, or a hundredth of the floor. */
  readonly ignoreBelow: Decimal | 'hundredth';
  /** When the metric's window began. */
  readonly start: Instant;
  readonly at: Instant;
};

/** Of a metric that moves with the clock, whatever the provider says. */
export type Clock = {
  /** From when it counts: the time of the newest data, or of the last answer. */
  readonly since: 'newest' | 'last_answer';
  /** That the data are missing, in messages. */
  readonly missing: string;
  /** That the data are back, in messages. */
  readonly again: string;
  /** What a preview does not know of it. */
  readonly inPreview: string;
};
