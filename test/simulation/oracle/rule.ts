import type { FloorSeries, Instant, Part, SeriesName } from './points.ts';

/** Metrics that prices move. */
export type PriceFamily =
  | 'floor_price'
  | 'floor_price_usd'
  | 'lowest_price'
  | 'sale_discount_pct'
  | 'floor_change_pct'
  | 'floor_drop_pct'
  | 'floor_drawdown_pct'
  | 'floor_runup_pct'
  | 'volume'
  | 'sales'
  | 'average_price'
  | 'owners'
  | 'best_offer'
  | 'spread_pct';

/** Metrics that the clock moves. */
type ClockFamily =
  | 'data_age_minutes'
  | 'silence_minutes'
  | 'statistics_silence_minutes'
  | 'offers_silence_minutes';

/** One condition of a rule. */
export type OracleClause = {
  readonly metric: string;
  readonly family: PriceFamily | ClockFamily;
  /** The parts that the metric reads; messages name the price of the first. */
  readonly parts: readonly Part[];
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
};

/** A rule as the document of its list states it, with all defaults. Durations are milliseconds. */
export type OracleRule = {
  /** Messages show the value of the first; all must hold together. */
  readonly clauses: readonly [OracleClause, ...OracleClause[]];
  /** The parts that its clauses read. */
  readonly parts: readonly Part[];
  /** The series of floors that `outliers` and `minSources` select. */
  readonly floorSeries: FloorSeries;
  readonly recover: bigint | undefined;
  readonly for: number;
  readonly keepFor: number;
  readonly confirm: { readonly times: number; readonly of: number } | undefined;
  readonly arm: 'level' | 'cross';
  readonly once: boolean;
  readonly reminder: number | undefined;
  /** Percent of the value last reported; points for a percentage. */
  readonly steps: bigint | undefined;
  readonly notifyRecovery: boolean;
  /** A rule with `noData` reports missing data itself. */
  readonly reportsMissingValue: boolean;
  readonly expiresAt: Instant | undefined;
};

export function isClockFamily(family: PriceFamily | ClockFamily): family is ClockFamily {
  return family.endsWith('_minutes');
}

/** Whether the clock moves a rule; steps do not. */
export function isOfClock({ clauses: [clause] }: OracleRule): boolean {
  return isClockFamily(clause.family);
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
export function seriesNames({ floorSeries }: OracleRule, { parts }: OracleClause): SeriesName[] {
  return parts.map((part) => (part === 'floor' ? floorSeries : part));
}

/** A value on the line meets the condition; the edges of a band are inside. */
export function isBeyond({ when, threshold, low, high }: OracleClause, value: bigint): boolean {
  const isInside = value >= low && value <= high;
  if (when === 'inside') return isInside;
  if (when === 'outside') return !isInside;
  return when === 'above' ? value >= threshold : value <= threshold;
}

/** A value on the recovery line ends the episode. */
export function hasRecovered({ clauses: [clause], recover }: OracleRule, value: bigint): boolean {
  if (recover === undefined) return !isBeyond(clause, value);
  return clause.when === 'below' ? value >= recover : value <= recover;
}

/** The line that a value has passed; for a band, its nearer edge. */
export function lineFor({ clauses: [clause] }: OracleRule, value: bigint | undefined): bigint {
  if (clause.when !== 'inside' && clause.when !== 'outside') return clause.threshold;
  return value !== undefined && value > clause.high ? clause.high : clause.low;
}
