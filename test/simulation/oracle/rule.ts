import type { Formula } from './formulas.ts';

/** One condition of a rule: a metric, how it is worked out, and what it is held against. */
export type OracleClause = {
  readonly metric: string;
  readonly formula: Formula;
  /** The parts of a contract that it is read from; the price that its messages tell is of the first. */
  readonly parts: readonly string[];
  /** How far it looks back over floors, in milliseconds. */
  readonly window: number;
  readonly unit: string;
  readonly when: string;
  readonly threshold: bigint;
  readonly low: bigint;
  readonly high: bigint;
  /** A lowest sale under this price reports nothing. */
  readonly ignoreBelow: bigint | 'a hundredth of the floor';
  /** A floor that one provider alone reports reports nothing. */
  readonly needsTwo: boolean;
};

/** A rule as its list's document says it. */
export type OracleRule = {
  /** The first is the one that is spoken of; all must hold together. */
  readonly clauses: readonly [OracleClause, ...OracleClause[]];
  readonly parts: readonly string[];
  readonly recover: bigint | undefined;
  readonly for: number | undefined;
  readonly keepFor: number | undefined;
  readonly confirm: { readonly times: number; readonly of: number } | undefined;
  readonly arm: string;
  /** Whether a floor that is far from the one before it counts at once. */
  readonly takesOutliers: boolean;
  readonly once: boolean;
  readonly reminder: number | undefined;
  /** Percent, scaled as all amounts are; of a percentage, points. */
  readonly steps: bigint | undefined;
  readonly tellsRecovery: boolean;
  /** Whether it is reported, after a day, that it has never had a value. */
  readonly tellsNoValue: boolean;
  readonly expiresAt: number | undefined;
};

/** Whether a rule looks at more than the newest price of one part. */
export function looksFurther({ clauses, parts }: OracleRule): boolean {
  return parts.length > 1 || clauses.some(({ window }) => window > 0);
}

/** Whether a metric is a share of a price. */
export function isShare({ formula }: OracleClause): boolean {
  return formula.of === 'share';
}

/** Whether the clock moves a metric, whatever is reported. */
export function isOfClock({ formula }: OracleClause): boolean {
  return formula.of === 'clock';
}

export function isBeyond({ when, threshold, low, high }: OracleClause, value: bigint): boolean {
  const isInside = value >= low && value <= high;
  if (when === 'inside') return isInside;
  if (when === 'outside') return !isInside;
  return when === 'below' ? value <= threshold : value >= threshold;
}

/** Whether a value ends what a rule has fired by. */
export function isBack(rule: OracleRule, value: bigint): boolean {
  const [clause] = rule.clauses;
  if (rule.recover === undefined) return !isBeyond(clause, value);
  return clause.when === 'below' ? value >= rule.recover : value <= rule.recover;
}
