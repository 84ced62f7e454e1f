import type { Decimal } from '#shared/domain/market/decimal.ts';
import { isClock, isPercent, type Metric } from '#shared/domain/metrics/metric.ts';
import { HUNDRED_PERCENT } from '#shared/domain/metrics/prices.ts';
import type { Condition } from '#shared/domain/rules/condition.ts';
import type { MeasuredClause } from './measured-clause.ts';

/** The distance of a value from the line at which its rule fires. */
export type LineDistance = {
  readonly line: Decimal;
  /** The direction in which the value must move to reach the line. */
  readonly direction: 'falls' | 'rises';
  /** In the unit of the value; zero or negative once the value has reached the line. */
  readonly distance: Decimal;
  /**
   * The distance in percent of the value; for a gain, in percent of the cost; for a percentage, in
   * percentage points. Undefined for a clock metric, and for a value of zero.
   */
  readonly percent: Decimal | undefined;
};

/**
 * The distance of a watch from its line; with several conditions, the largest distance. Undefined
 * while a condition has no value.
 */
export function lineDistanceOf(readings: readonly MeasuredClause[]): LineDistance | undefined {
  const distances = readings.map(distanceOf);
  return distances.reduce((furthest, distance) =>
    furthest === undefined || distance === undefined || isLess(distance, furthest)
      ? distance && furthest
      : distance,
  );
}

/** Whether the first distance is smaller. False if the first condition has a clock metric. */
function isLess(one: LineDistance, other: LineDistance): boolean {
  if (one.percent === undefined) return false;
  return other.percent === undefined || one.percent < other.percent;
}

/**
 * Orders distances by their absolute amount: a line that the value has passed by 5% is as far as a
 * line that is 5% ahead. Distances without a percentage come last.
 */
export function compareDistances({ percent: one }: LineDistance, { percent: other }: LineDistance) {
  if (one === undefined || other === undefined) {
    return Number(one === undefined) - Number(other === undefined);
  }
  return Number(amountOf(one) > amountOf(other)) - Number(amountOf(one) < amountOf(other));
}

function amountOf(distance: Decimal): Decimal {
  return distance < 0n ? -distance : distance;
}

function distanceOf({
  metric,
  holding,
  condition,
  measured,
}: MeasuredClause): LineDistance | undefined {
  if (measured.kind === 'none') return undefined;
  const { value } = measured;
  const distances = linesOf(condition, value).map(({ line, direction }) => {
    const distance = direction === 'falls' ? value - line : line - value;
    const whole = holding === undefined ? value : holding.cost * holding.amount;
    return { line, direction, distance, percent: percentOf(metric, distance, whole) };
  });
  // For `inside` the value must pass both edges, so the larger distance counts; for `outside` it
  // must pass only one.
  const sign = condition.when === 'inside' ? 1n : -1n;
  return distances.reduce((chosen, other) =>
    (other.distance - chosen.distance) * sign > 0n ? other : chosen,
  );
}

type Line = Pick<LineDistance, 'line' | 'direction'>;

/** The lines that a value must pass. */
function linesOf(condition: Condition, value: Decimal): readonly Line[] {
  switch (condition.when) {
    case 'below':
      return [{ line: condition.threshold, direction: 'falls' }];
    case 'above':
      return [{ line: condition.threshold, direction: 'rises' }];
    case 'crosses':
      return [
        { line: condition.threshold, direction: value > condition.threshold ? 'falls' : 'rises' },
      ];
    case 'outside':
      return [
        { line: condition.low, direction: 'falls' },
        { line: condition.high, direction: 'rises' },
      ];
    case 'inside':
      return [
        { line: condition.low, direction: 'rises' },
        { line: condition.high, direction: 'falls' },
      ];
  }
}

function percentOf(metric: Metric, distance: Decimal, whole: Decimal): Decimal | undefined {
  if (isClock(metric)) return undefined;
  if (isPercent(metric)) return distance;
  return whole === 0n ? undefined : (distance * HUNDRED_PERCENT) / whole;
}
