import type { FloorSeries, Instant, PriceSeriesName, SeriesName } from './points.ts';

/** Metrics that change with prices. */
export type PriceFamily =
  | 'floor_price'
  | 'floor_price_usd'
  | 'lowest_price'
  | 'sale_discount_pct'
  | 'floor_change_pct'
  | 'floor_drop_pct'
  | 'floor_drawdown_pct'
  | 'floor_runup_pct'
  | 'floor_vs_average_pct'
  | 'volume'
  | 'sales'
  | 'average_price'
  | 'owners'
  | 'best_offer'
  | 'spread_pct'
  | 'floor_ratio'
  | 'relative_change_pct'
  | 'list_value'
  | 'list_change_pct'
  | 'gain_pct'
  | 'gain';

/** Metrics that change with the clock. */
type ClockFamily =
  | 'data_age_minutes'
  | 'silence_minutes'
  | 'statistics_silence_minutes'
  | 'offers_silence_minutes';

/** One condition of a rule. */
export type OracleClause = {
  readonly metric: string;
  readonly family: PriceFamily | ClockFamily;
  /** The price series that the metric reads. Messages contain the price of the first series. */
  readonly series: readonly PriceSeriesName[];
  /** Length of the window over floors in milliseconds; 0 for a metric without one. */
  readonly window: number;
  /** A currency, or `usd`. */
  readonly unit: string;
  readonly when: 'below' | 'above' | 'outside' | 'inside' | 'crosses';
  readonly threshold: bigint;
  readonly low: bigint;
  readonly high: bigint;
  /** A lowest sale under this price is an unknown value. */
  readonly ignoreBelow: bigint | 'a hundredth of the floor';
  /** What the tenant holds of the contract; set only for rules on gains. */
  readonly held?: Held | undefined;
};

/** The number of held tokens, and the cost of one token in `unit`. */
export type Held = { readonly cost: bigint; readonly amount: bigint; readonly unit: string };

/** A rule from the document of its list, with all defaults. Durations are in milliseconds. */
export type OracleRule = {
  /**
   * A rule fires only while all clauses hold at the same time. Messages contain the value of the
   * first clause.
   */
  readonly clauses: readonly [OracleClause, ...OracleClause[]];
  /** The price series that its clauses read. */
  readonly series: readonly PriceSeriesName[];
  /** The series of floors that `outliers` and `minSources` select. */
  readonly floorSeries: FloorSeries;
  readonly recover: bigint | undefined;
  readonly for: number;
  readonly keepFor: number;
  readonly confirm: { readonly times: number; readonly of: number } | undefined;
  readonly arm: 'level' | 'cross';
  readonly once: boolean;
  readonly reminder: number | undefined;
  /** Percent of the last reported value, or percentage points for a percentage. */
  readonly steps: bigint | undefined;
  readonly notifyRecovery: boolean;
  /** False for a rule with `noData`, whose no-data watch reports missing data. */
  readonly reportsMissingValue: boolean;
  readonly expiresAt: Instant | undefined;
};

export function isClockFamily(family: PriceFamily | ClockFamily): family is ClockFamily {
  return family.endsWith('_minutes');
}

/** Whether a rule is evaluated by the clock instead of by steps. */
export function isOfClock({ clauses: [clause] }: OracleRule): boolean {
  return isClockFamily(clause.family);
}

/** Whether a metric compares with a cost. Only contracts with a cost have such watches. */
export function isGain(family: OracleClause['family']): boolean {
  return family === 'gain_pct' || family === 'gain';
}

export function isPercentage({ family }: OracleClause): boolean {
  return family.endsWith('_pct');
}

export function isCrossing({ clauses: [clause] }: OracleRule): boolean {
  return clause.when === 'crosses';
}

export function hasWindow({ clauses }: OracleRule): boolean {
  return clauses.some(({ window }) => window > 0);
}

/** The series that a clause reads. */
export function seriesNames({ floorSeries }: OracleRule, { series }: OracleClause): SeriesName[] {
  return series.map((name) => (name === 'floor' ? floorSeries : name));
}

/** A value equal to the threshold meets the condition. The edges of a band are inside. */
export function isBeyond({ when, threshold, low, high }: OracleClause, value: bigint): boolean {
  const isInside = value >= low && value <= high;
  if (when === 'inside') return isInside;
  if (when === 'outside') return !isInside;
  return when === 'above' ? value >= threshold : value <= threshold;
}

/** A value equal to the recovery threshold ends the episode. */
export function hasRecovered({ clauses: [clause], recover }: OracleRule, value: bigint): boolean {
  if (recover === undefined) return !isBeyond(clause, value);
  return clause.when === 'below' ? value >= recover : value <= recover;
}

/** The threshold, or the edge of a band that is nearer to the value. */
export function lineFor({ clauses: [clause] }: OracleRule, value: bigint | undefined): bigint {
  if (clause.when !== 'inside' && clause.when !== 'outside') return clause.threshold;
  return value !== undefined && value > clause.high ? clause.high : clause.low;
}
