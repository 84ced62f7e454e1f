import { type Decimal, formatDecimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { measure } from '#shared/domain/metrics/measure.ts';
import { isClock, partsOfMetric, unitShown } from '#shared/domain/metrics/metric.ts';
import type { Measure } from '#shared/domain/metrics/prices.ts';
import { metricName, thresholdInWords, valueInWords } from '#shared/domain/metrics/value-text.ts';
import { clausesIn, type RuleConditionClause } from '#shared/domain/rules/alert-rule.ts';
import { isBeyond, linesOf, positionOf } from '#shared/domain/rules/condition.ts';
import { countedFrom, knownOf, minutesSince, type Snapshot, snapshotFor } from './snapshot.ts';
import type { Watch } from './watch.ts';

/** A condition of a watch with what its metric reports now. */
export type Reading = RuleConditionClause & { readonly measured: Measure };

/**
 * The conditions of a watch with what each metric reports at a moment; one of the clock by the
 * clock.
 */
export function readingsOf(watch: Watch, snapshot: Snapshot, now: Instant): readonly Reading[] {
  const seen = snapshotFor(watch.ruleCondition, snapshot);
  return clausesIn(watch.ruleCondition).map((clause) => {
    const { metric } = clause;
    const parts = partsOfMetric(metric);
    if (!isClock(metric)) {
      return { ...clause, measured: measure(clause, knownOf(seen, parts), now) };
    }
    const [part = 'floor'] = parts;
    const from = countedFrom(metric, snapshot.parts[part], now) ?? watch.since;
    return { ...clause, measured: { kind: 'value', value: minutesSince(from, now) } };
  });
}

/** Whether what a metric reports is beyond its line; undefined where it reports nothing. */
export function isMet({ condition, measured }: Reading): boolean | undefined {
  return measured.kind === 'value' ? isBeyond(condition, measured.value) : undefined;
}

/** Where a value stands: `Floor price 61.2 ETH is above the threshold of 60 ETH`. */
export function standing({ metric, unit, condition }: RuleConditionClause, value: Decimal): string {
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

/** What a percentage waits for that its window alone has brought beyond its line. */
export const WAITS_FOR_MOVE = 'it fires if the price moves while it is beyond';

/** Why a watch whose rule is `once` will say nothing any more, whatever is read. */
export const HAS_ENDED =
  'It has ended: its rule has `repeat: "once"`, and its episode is over. Change the condition to start it again.';
