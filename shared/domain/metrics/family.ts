import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Subject } from '#shared/domain/market/derived-key.ts';
import { DAY, HOUR, type Instant } from '#shared/domain/market/instant.ts';
import type { Point } from '#shared/domain/market/point.ts';
import {
  LOOK_BACK_DAYS,
  type PriceSeriesName,
  STATISTICS_DAYS,
  type StatisticsDays,
  type StatisticsSeries,
} from '#shared/domain/market/price-series.ts';
import type { Holding } from './holding.ts';
import type { Measure } from './prices.ts';

/** Windows of data time in which metrics measure the movement of a floor. */
export const WINDOWS = {
  ...{ '1h': HOUR, '6h': 6 * HOUR, '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY },
} as const;
/** Windows of a lowest sale. */
export const LOOK_BACKS = LOOK_BACK_DAYS.map((days) => `${days}d` as const);

/** Periods of statistics. */
export const PERIODS = STATISTICS_DAYS.map((days) => `${days}d` as const);

/** The definition of the metrics that share a name and differ in their span. */
export type Family = Meaning & Span;

/**
 * The meaning of the part after a metric's name: a window of data time, the days of a lowest sale,
 * the period of a statistic, or a series of statistics.
 */
type Span =
  | {
      readonly over: 'window';
      readonly basis: Basis;
      /**
       * Whether the value changes continuously between two prices, like an average. Other metrics
       * with a window change only when a price enters or leaves the window.
       */
      readonly isContinuous?: true;
    }
  | { readonly over: 'days' | 'period' | 'series' | 'nothing'; readonly basis?: Basis };

/**
 * The value of a metric's span, one member for each kind of span. A metric uses only the member of
 * its own kind.
 */
export type SpanValues = {
  /** The series with the lowest sales of the span. */
  readonly sales: PriceSeriesName;
  readonly period: StatisticsDays;
  readonly series: StatisticsSeries;
};

/**
 * Labels of the prices from which a value is computed. Messages about a percentage over a window
 * show these prices. `span` is formatted as for `named`.
 */
type Basis = (span: string) => {
  readonly price: string;
  readonly reference: string;
  /** The unit of the reference, if the price has another unit. */
  readonly referenceUnit?: string;
};

type Meaning = {
  /** Whether only `noData` uses the metric. Rules may not name it. */
  readonly isInternal?: true;
  /** The series from which the metric is computed. Messages show the value of the first one. */
  readonly seriesOf: (span: SpanValues) => readonly [PriceSeriesName, ...PriceSeriesName[]];
  /** The kind of list member that the metric measures, if it is not a contract. */
  readonly subject?: Exclude<Subject, 'contract'>;
  /** Whether the metric needs a sale: without one in the window it has no value. */
  readonly readsSales: boolean;
  /** Whether values are percentages of a price. */
  readonly isPercent: boolean;
  /**
   * The only unit of the prices. With `any` a rule may choose the unit, including dollars. `anyBut`
   * excludes dollars; `use` is the metric to suggest for them. `cost` means the unit of the
   * holding's cost.
   */
  readonly unit:
    | 'usd'
    | 'eth'
    | 'minutes'
    | 'sales'
    | 'owners'
    | 'ratio'
    | 'cost'
    | 'any'
    | { readonly anyBut: 'usd'; readonly use: string | undefined };
  /**
   * Exclusive bounds of useful thresholds. For example, −100% is a bound of changes, because no
   * price falls by 100%.
   */
  readonly thresholds: { readonly above?: Decimal; readonly below?: Decimal };
  /**
   * The usual range of values; for prices, in percent of the floor. Random rules of tests take
   * their thresholds from this range.
   */
  readonly usual: { readonly from: number; readonly to: number };
  /** The default of `keepFor`, in milliseconds: how long a rule must stay recovered. */
  readonly usualKeepFor: number | undefined;
  /** Fraction digits in messages. Comparisons use all digits. */
  readonly digits: number | 'all';
  /** Whether values are written with a plus or minus sign. */
  readonly signed: boolean;
  /** Set for metrics of changes. */
  readonly signWords?: SignWords;
  readonly measure: ((asked: Asked) => Measure) | Clock;
  /** Set for metrics of a holding, whose watches are in the threshold index of the floor. */
  readonly held?: {
    /** The lowest and the highest floor at which the metric may have a given value. */
    readonly pricesAt: (
      value: Decimal,
      holding: Holding,
    ) => readonly [least: Decimal, greatest: Decimal];
  };
  /**
   * The metric's name in a sentence. `span` is like `24h` for a window, and like `7 days` for days
   * or a period.
   */
  readonly named: (span: string) => string;
  /** The description in the OpenAPI document. */
  readonly described: string;
};

/** Words for positive and negative values. Each function receives a percentage, such as `10%`. */
type SignWords = {
  /** A clause for values above a percentage: `the floor has risen by more than 10%`. */
  readonly above: (percent: string) => string;
  /** A clause for values below the negative percentage: `the floor has fallen by more than 10%`. */
  readonly below: (percent: string) => string;
  /** A noun phrase for a value: `a rise of 10%`. */
  readonly positive: (percent: string) => string;
  readonly negative: (percent: string) => string;
  /** The family that counts falls as positive numbers, if there is one. */
  readonly falls?: string;
};

/** The data from which a metric is computed. */
type Asked = {
  readonly floors: readonly Point[];
  /** The newest point of each series of the metric, in the order of `seriesOf`. */
  readonly latest: readonly (Point | undefined)[];
  /** The currency of the prices. */
  readonly unit: string;
  /** Sales below this price, or below a hundredth of the floor, are ignored. */
  readonly ignoreBelow: Decimal | 'hundredth';
  /** The holding, for metrics that need one. */
  readonly holding?: Holding | undefined;
  /** The start of the metric's window. */
  readonly start: Instant;
  readonly at: Instant;
};

/** The definition of a metric that changes with the clock, without new data. */
export type Clock = {
  /** The start of the counted time: the time of the newest data, or of the last answer. */
  readonly since: 'newest' | 'last_answer';
  /** The text of messages that report missing data. */
  readonly missing: string;
  /** The text of messages that report that the data are back. */
  readonly again: string;
  /** A note about the limits of previews of this metric. */
  readonly inPreview: string;
};
