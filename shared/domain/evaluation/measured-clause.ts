import { type Decimal, formatDecimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { isClock, seriesOfMetric, unitShown } from '#shared/domain/metrics/metric.ts';
import type { Measure } from '#shared/domain/metrics/prices.ts';
import { metricName, thresholdInWords, valueInWords } from '#shared/domain/metrics/value-text.ts';
import { clausesIn, type RuleConditionClause } from '#shared/domain/rules/alert-rule.ts';
import { isBeyond, linesOf, positionOf } from '#shared/domain/rules/condition.ts';
import { floorSeriesOf, measureAt } from './known-at-step.ts';
import { countedFrom, minutesSince, type Snapshot, stepNow } from './snapshot.ts';
import type { Watch } from './watch.ts';

/** A condition of a watch with the present value of its metric. */
export type MeasuredClause = RuleConditionClause & { readonly measured: Measure };

/** The conditions of a watch with the value of each metric at a moment. */
export function measuredClausesOf(
  watch: Watch,
  { record, past }: Snapshot,
  now: Instant,
): readonly [MeasuredClause, ...MeasuredClause[]] {
  const { ruleCondition } = watch;
  const step = stepNow(record, now);
  const measure = (clause: RuleConditionClause): MeasuredClause => {
    const { metric } = clause;
    if (!isClock(metric)) {
      const measured = measureAt(clause, step, past, floorSeriesOf(ruleCondition));
      return { ...clause, measured };
    }
    const [series] = seriesOfMetric(metric);
    const from = countedFrom(metric, series, record, now) ?? watch.since;
    return { ...clause, measured: { kind: 'value', value: minutesSince(from, now) } };
  };
  const [first, ...others] = clausesIn(ruleCondition);
  return [measure(first), ...others.map(measure)];
}

/** Whether the value is beyond the line; undefined without a value. */
export function isMet({ condition, measured }: MeasuredClause): boolean | undefined {
  return measured.kind === 'value' ? isBeyond(condition, measured.value) : undefined;
}

/** Describes a value: `Floor price 61.2 ETH is above the threshold of 60 ETH`. */
export function comparisonInWords(
  { metric, unit, condition }: RuleConditionClause,
  value: Decimal,
): string {
  const shown = unitShown(metric, unit);
  const lines = linesOf(condition).map(formatDecimal);
  const written = (line: Decimal) => thresholdInWords(metric, formatDecimal(line), shown);
  const name = metricName(metric);
  const subject = `${name.charAt(0).toUpperCase()}${name.slice(1)} ${valueInWords(metric, formatDecimal(value), shown, lines)} is`;
  if ('low' in condition) {
    const { low, high } = condition;
    const side = positionOf(condition, value) === 'within' ? 'inside' : 'outside';
    return `${subject} ${side} the band from ${written(low)} to ${written(high)}`;
  }
  const { threshold } = condition;
  const side = value === threshold ? 'at' : value > threshold ? 'above' : 'below';
  return `${subject} ${side} the threshold of ${written(threshold)}`;
}

/**
 * Explains why a watch does not fire although its percentage meets the condition: only the window
 * has moved, not the price.
 */
export const WAITS_FOR_MOVE = 'the rule fires if the price moves while the condition holds';

/** Explains why a watch with `repeat: "once"` sends no alerts after its episode. */
export const HAS_ENDED =
  'The rule ended after its first episode because `repeat` is `once`. Change its condition to start it again.';
