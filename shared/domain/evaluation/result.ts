import type { Decimal } from '#shared/domain/market/decimal.ts';
import { measure } from '#shared/domain/metrics/measure.ts';
import { windowOf } from '#shared/domain/metrics/metric.ts';
import type { Measure } from '#shared/domain/metrics/prices.ts';
import { clausesIn, type RuleCondition } from '#shared/domain/rules/alert-rule.ts';
import {
  hasRecovered,
  isBeyond,
  type Position,
  positionOf,
} from '#shared/domain/rules/condition.ts';
import type { Cause } from './cause.ts';
import type { Watch } from './watch.ts';

/** What a moment says of a watch's conditions. */
export type Result = {
  readonly beyond: boolean;
  readonly recovered: boolean;
  readonly value: Decimal;
  readonly position?: Position | undefined;
  readonly unmet?: number | undefined;
};

/** The result of a moment; undefined where it has none, since something is not known. */
export function resultOf(watch: Watch, cause: Cause): Result | 'no_sale' | undefined {
  const { ruleCondition } = watch;
  if (ruleCondition.also !== undefined) return jointVerdict(ruleCondition, cause);
  const measured = measureAt(ruleCondition, cause);
  if (measured.kind === 'none') return measured.why === 'no_sale' ? 'no_sale' : undefined;
  const { condition } = ruleCondition;
  const { value } = measured;
  return {
    beyond: isBeyond(condition, value),
    recovered: hasRecovered(condition, value),
    value,
    position: sideOf(watch, positionOf(condition, value), cause),
  };
}

/**
 * Conditions hold together when each does; they do not as soon as one does not, whatever is not
 * known of the others. Where no sale is left, no condition on sales holds.
 */
function jointVerdict(ruleCondition: RuleCondition, cause: Cause): Result | undefined {
  const clauses = clausesIn(ruleCondition);
  const measured = clauses.map((clause) => measure(clause, cause.known, cause.time));
  const values = measured.map((one) => (one.kind === 'value' ? one.value : undefined));
  const unmet = clauses.findIndex(({ condition }, index) => {
    const one = measured[index];
    if (one?.kind === 'value') return !isBeyond(condition, one.value);
    return one?.why === 'no_sale';
  });
  const [first = 0n] = values;
  if (unmet === -1) {
    return values.includes(undefined)
      ? undefined
      : { beyond: true, recovered: false, value: first };
  }
  const [clause, value] = [clauses[unmet], values[unmet]];
  const position = clause && value !== undefined ? positionOf(clause.condition, value) : undefined;
  return { beyond: false, recovered: true, value: first, position, unmet };
}

/** The metric of a condition's first condition; one of the clock is reported with its cause. */
function measureAt(ruleCondition: RuleCondition, { known, time, clock }: Cause): Measure {
  return clock === undefined
    ? measure(ruleCondition, known, time)
    : { kind: 'value', value: clock };
}

/** The value of a watch's first condition; none where it is not known, or an episode is only closed. */
export function firstValue({ ruleCondition }: Watch, cause: Cause): Decimal | undefined {
  if (cause.closing !== undefined) return undefined;
  const measured = measureAt(ruleCondition, cause);
  return measured.kind === 'value' ? measured.value : undefined;
}

/**
 * Whether a moment may begin an episode, take it a step further, or cross a line. A window that
 * moves past an older price changes a percentage without a new price: that alone fires nothing, and
 * can only end an episode.
 */
export function isEvent({ ruleCondition, state }: Watch, { isStill = false }: Cause): boolean {
  const hasWindow = clausesIn(ruleCondition).some(({ metric }) => windowOf(metric) !== undefined);
  return !hasWindow || !isStill || state === 'unknown';
}

/**
 * A value at the line to be crossed keeps the side it came from. A resting watch keeps its side while
 * the price does not move: it waits there for the move by which it fires, and where it stands nowhere,
 * for any.
 */
function sideOf(watch: Watch, position: Watch['position'], cause: Cause): Watch['position'] {
  if (watch.state === 'ok' && !isEvent(watch, cause)) return watch.position;
  const isAtLine = watch.ruleCondition.condition.when === 'crosses' && position === 'within';
  return isAtLine ? (watch.position ?? position) : position;
}
