import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Waiting } from './threshold-index.ts';

/**
 * A limit on one side (`below` or `above`), a threshold to be crossed in either direction, or a
 * band.
 */
export type Condition = Limit | Crossing | Band;
type Limit = {
  readonly when: 'below' | 'above';
  readonly threshold: Decimal;
  readonly recover?: Decimal;
};
type Crossing = { readonly when: 'crosses'; readonly threshold: Decimal };
type Band = {
  readonly when: 'outside' | 'inside';
  readonly low: Decimal;
  readonly high: Decimal;
};

/** Whether a condition is a limit on one side. */
export function isLimit(condition: Condition): condition is Limit {
  return condition.when === 'below' || condition.when === 'above';
}

/**
 * The position of a value relative to a band (`within` includes the edges), or to the threshold of
 * `crosses`.
 */
export type Position = 'under' | 'within' | 'over';

/** The position of a value; undefined for conditions that need none. */
export function positionOf(condition: Condition, value: Decimal): Position | undefined {
  switch (condition.when) {
    case 'below':
    case 'above':
      return undefined;
    case 'crosses':
      return against(condition.threshold, condition.threshold, value);
    case 'outside':
    case 'inside':
      return against(condition.low, condition.high, value);
  }
}

/**
 * Whether a value is beyond the threshold, so that the rule fires. A value equal to the threshold
 * is beyond it; a value at an edge of a band is inside the band.
 */
export function isBeyond(condition: Condition, value: Decimal): boolean {
  switch (condition.when) {
    case 'below':
      return value <= condition.threshold;
    case 'above':
      return value >= condition.threshold;
    case 'outside':
    case 'inside':
    case 'crosses':
      return isPlacedBeyond(condition, positionOf(condition, value));
  }
}

/**
 * Whether a rule on a band fires at a position. False for `crosses`, which fires at a change of the
 * position.
 */
export function isPlacedBeyond({ when }: Band | Crossing, position: Position | undefined): boolean {
  return when !== 'crosses' && (position === 'within') === (when === 'inside');
}

/** Whether a value ends an episode. */
export function hasRecovered(condition: Condition, value: Decimal): boolean {
  if (condition.when === 'below' && condition.recover !== undefined) {
    return value >= condition.recover;
  }
  if (condition.when === 'above' && condition.recover !== undefined) {
    return value <= condition.recover;
  }
  return !isBeyond(condition, value);
}

/** The first lower and the first higher value at which the position changes. */
export function exitRanges(condition: Band | Crossing, position: Position): Waiting {
  if (condition.when === 'crosses') {
    const { threshold } = condition;
    if (position === 'under') return { rising: threshold + 1n };
    if (position === 'over') return { falling: threshold - 1n };
    return { falling: threshold - 1n, rising: threshold + 1n };
  }
  if (position === 'under') return { rising: condition.low };
  if (position === 'over') return { falling: condition.high };
  return { falling: condition.low - 1n, rising: condition.high + 1n };
}

/** The thresholds that a value is compared with. */
export function linesOf(condition: Condition): readonly Decimal[] {
  if ('low' in condition) return [condition.low, condition.high];
  const { threshold } = condition;
  const { recover = threshold } = isLimit(condition) ? condition : {};
  return [threshold, recover];
}

/** The threshold or edge that the value has passed to reach this position. */
export function passedLine(condition: Condition, position: Position | undefined): Decimal {
  if (!('low' in condition)) return condition.threshold;
  return position === 'over' ? condition.high : condition.low;
}

function against(low: Decimal, high: Decimal, value: Decimal): Position {
  if (value < low) return 'under';
  return value > high ? 'over' : 'within';
}
