import { measure, type Prices, type Value } from './metrics.ts';
import type { FloorSeries, Observation, PricePoint } from './points.ts';
import { isSameReport } from './points.ts';
import { hasRecovered, isBeyond, isCrossing, type OracleClause, type OracleRule } from './rule.ts';

/** A rule at one step. */
export type Result =
  | {
      readonly is: 'known';
      /** Value of the first clause; in an `all` it may be missing. */
      readonly value: bigint | undefined;
      /** For `crosses`: whether the value is below the threshold. */
      readonly isBeyond: boolean;
      /** For `crosses`: whether the value is above the threshold. */
      readonly hasRecovered: boolean;
    }
  | { readonly is: 'no_sale' }
  | { readonly is: 'unknown' };

export function evaluate(rule: OracleRule, prices: Prices): Result {
  const values = rule.clauses.map((clause) => measure(clause, prices));
  return values.length > 1 ? evaluateTogether(rule, values) : evaluateAlone(rule, values[0]);
}

function evaluateAlone(rule: OracleRule, value: Value | undefined): Result {
  if (value === 'no_sale') return { is: 'no_sale' };
  if (typeof value !== 'bigint') return { is: 'unknown' };
  return compare(rule, value);
}

/** Compares the value of a rule with one clause. */
export function compare(rule: OracleRule, value: bigint): Result {
  const [clause] = rule.clauses;
  const { threshold } = clause;
  return isCrossing(rule)
    ? { is: 'known', value, isBeyond: value < threshold, hasRecovered: value > threshold }
    : {
        is: 'known',
        value,
        isBeyond: isBeyond(clause, value),
        hasRecovered: hasRecovered(rule, value),
      };
}

/**
 * `all` is false if one clause is false. If none is false, `all` is unknown if one clause is
 * unknown.
 */
function evaluateTogether({ clauses }: OracleRule, values: readonly Value[]): Result {
  const holds = clauses.map((clause, index) => clauseHolds(clause, values[index]));
  const [first] = values;
  const value = typeof first === 'bigint' ? first : undefined;
  if (holds.includes(false)) return { is: 'known', value, isBeyond: false, hasRecovered: true };
  if (holds.includes(undefined)) return { is: 'unknown' };
  return { is: 'known', value, isBeyond: true, hasRecovered: false };
}

function clauseHolds(clause: OracleClause, value: Value | undefined): boolean | undefined {
  if (value === 'no_sale') return false;
  return typeof value === 'bigint' ? isBeyond(clause, value) : undefined;
}

/** The prices that a rule reads at a step. */
export function pricesAt({ floorSeries }: OracleRule, observation: Observation): Prices {
  return pricesIn(floorSeries, observation, recordedUntil(floorSeries, observation));
}

/** The prices at a step if the suspect were accepted. */
function pricesWithSuspect(observation: Observation, suspect: PricePoint): Prices {
  const { floor } = observation.floors;
  const earlier = floor.filter(({ time }) => time < suspect.time);
  return pricesIn('reported', observation, [...earlier, suspect]);
}

/** A window ends at the data time of a floor in the step, or else at the time of the step. */
function pricesIn(
  series: FloorSeries,
  { step, reading, floors: { completeSince } }: Observation,
  floors: readonly PricePoint[],
): Prices {
  const windowEnd = step.points[series]?.time ?? step.at;
  return { floor: reading[series], reading, floors, completeSince, windowEnd };
}

/** The recorded floors up to the floor of the step. */
function recordedUntil(
  series: FloorSeries,
  { reading, floors }: Observation,
): readonly PricePoint[] {
  const floor = reading[series];
  if (floor?.kind !== 'price') return [];
  return [...floors[series].filter(({ time }) => time < floor.time), floor];
}

/**
 * Whether accepting the suspect would change the result. If it would, a step without an accepted
 * floor has no effect, because the last accepted floor may be outdated.
 */
export function isInDoubt(rule: OracleRule, observation: Observation, result: Result): boolean {
  const { step, reading } = observation;
  const { reported, floor } = reading;
  if (rule.floorSeries !== 'floor' || step.points.floor !== undefined) return false;
  if (reported?.kind !== 'price' || (floor !== undefined && isSameReport(reported, floor))) {
    return false;
  }
  return !isSameSide(evaluate(rule, pricesWithSuspect(observation, reported)), result);
}

function isSameSide(one: Result, other: Result): boolean {
  if (one.is !== 'known' || other.is !== 'known') return one.is === other.is;
  return one.isBeyond === other.isBeyond && one.hasRecovered === other.hasRecovered;
}
