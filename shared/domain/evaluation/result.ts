import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Measure } from '#shared/domain/metrics/prices.ts';
import { clausesIn, type RuleCondition } from '#shared/domain/rules/alert-rule.ts';
import {
  hasRecovered,
  isBeyond,
  type Position,
  positionOf,
} from '#shared/domain/rules/condition.ts';

/** The result of a rule if its values suffice to decide whether the conditions hold. */
export type Known = {
  readonly beyond: boolean;
  readonly recovered: boolean;
  /** The value of the first condition, if it has one. */
  readonly value: Decimal | undefined;
  /** Position of the value relative to a band or to the line of `crosses`. */
  readonly position?: Position | undefined;
  /** Index of a condition that does not hold, if several must hold together. */
  readonly unmet?: number | undefined;
};

/** `unknown`: there is no value; `no_sale`: the window has no sale. */
export type Result = Known | 'no_sale' | 'unknown';

/** The result of a rule from the value of each of its conditions. */
export function ruleResult(ruleCondition: RuleCondition, measures: readonly Measure[]): Result {
  if (ruleCondition.also !== undefined) return jointResult(ruleCondition, measures);
  const [measured] = measures;
  if (measured?.kind !== 'value') return measured?.why === 'no_sale' ? 'no_sale' : 'unknown';
  const { condition } = ruleCondition;
  const { value } = measured;
  return {
    beyond: isBeyond(condition, value),
    recovered: hasRecovered(condition, value),
    value,
    position: positionOf(condition, value),
  };
}

/**
 * The result of several conditions that must hold together. A single failing condition decides the
 * result, even if another condition is unknown. Conditions on sales fail if no sale is left in the
 * window.
 */
function jointResult(ruleCondition: RuleCondition, measures: readonly Measure[]): Result {
  const clauses = clausesIn(ruleCondition);
  const values = measures.map((one) => (one.kind === 'value' ? one.value : undefined));
  const unmet = clauses.findIndex(({ condition }, index) => {
    const one = measures[index];
    if (one?.kind === 'value') return !isBeyond(condition, one.value);
    return one?.why === 'no_sale';
  });
  const [first] = values;
  if (unmet === -1) {
    return values.includes(undefined)
      ? 'unknown'
      : { beyond: true, recovered: false, value: first };
  }
  const [clause, value] = [clauses[unmet], values[unmet]];
  const position = clause && value !== undefined ? positionOf(clause.condition, value) : undefined;
  return { beyond: false, recovered: true, value: first, position, unmet };
}
