import type { Decimal } from '#shared/domain/market/decimal.ts';
import { clausesIn, type Meaning } from '#shared/domain/rules/alert-rule.ts';
import {
  hasRecovered,
  isBeyond,
  type Position,
  positionOf,
} from '#shared/domain/rules/condition.ts';
import { isPercent } from '#shared/domain/rules/metric.ts';
import type { Cause } from './cause.ts';
import { type Measure, measure } from './measure.ts';
import type { Watch } from './watch.ts';

/** What a moment says of a watch's conditions. */
export type Verdict = {
  readonly beyond: boolean;
  readonly recovered: boolean;
  readonly value: Decimal;
  readonly position?: Position | undefined;
  readonly unmet?: number | undefined;
};

/** The verdict of a moment; undefined where it has none, since something is not known. */
export function verdictOf(watch: Watch, cause: Cause): Verdict | 'no_sale' | undefined {
  const { meaning } = watch;
  if (meaning.also !== undefined) return jointVerdict(meaning, cause);
  const measured = measureAt(meaning, cause);
  if (measured.kind === 'none') return measured.why === 'no_sale' ? 'no_sale' : undefined;
  const { condition } = meaning;
  const { value } = measured;
  return {
    beyond: isBeyond(condition, value),
    recovered: hasRecovered(condition, value),
    value,
    position: sideOf(watch, positionOf(condition, value)),
  };
}

/**
 * Conditions hold together when each does; they do not as soon as one does not, whatever is not
 * known of the others. Where no trade is left, none is below a line.
 */
function jointVerdict(meaning: Meaning, cause: Cause): Verdict | undefined {
  const clauses = clausesIn(meaning);
  const measured = clauses.map(({ metric, unit }) =>
    measure(metric, unit, cause.known, cause.time),
  );
  const values = measured.map((one) => (one.kind === 'value' ? one.value : undefined));
  const unmet = clauses.findIndex(({ metric, condition }, index) => {
    const one = measured[index];
    if (one?.kind === 'value') return !isBeyond(condition, one.value);
    return one?.why === 'no_sale' && condition.when === 'below' && !isPercent(metric);
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

/** The metric of a meaning's first condition; one of the clock is told with its cause. */
export function measureAt({ metric, unit }: Meaning, { known, time, clock }: Cause): Measure {
  return clock === undefined ? measure(metric, unit, known, time) : { kind: 'value', value: clock };
}

/** A value at the line to be crossed keeps the side it came from. */
function sideOf(watch: Watch, position: Watch['position']): Watch['position'] {
  const keeps = watch.meaning.condition.when === 'crosses' && position === 'within';
  return keeps ? (watch.position ?? position) : position;
}
