import { durationInWords, formatDuration } from '#shared/domain/market/duration.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { clockOf } from '#shared/domain/metrics/metric.ts';
import { metricName, noValue, valueInWords } from '#shared/domain/metrics/value-text.ts';
import type { Fact, RuleAlert } from './alert.ts';
import { fact, type WordlessAlert } from './alert-words.ts';

/** The newest value of a watch as an alert, and the age of its data in milliseconds. */
export type Newest = { readonly alert: RuleAlert; readonly age: number };

/** The newest value with its age: `Newest value: 55 ETH, 2 min old`. */
export function newestFacts({ alert, age }: Newest, recoverAt?: string): readonly Fact[] {
  const isClock = clockOf(alert.metric) !== undefined;
  const value = valueText(alert, recoverAt);
  if (isClock) return fact(nameInFacts(alert.metric), value);
  const whole = formatDuration(age - (age % MINUTE));
  const old = age < MINUTE ? 'less than 1 min' : durationInWords(whole);
  return fact('Newest value', `${value}, ${old} old`);
}

/** The value of an alert, precise enough to differ from the thresholds of its rule. */
export function valueText(
  { metric, value, threshold, unit }: WordlessAlert,
  recoverAt: string | undefined,
): string {
  return value === null
    ? noValue(metric)
    : valueInWords(metric, value, unit, [threshold, recoverAt]);
}

/**
 * The name of a metric with an initial capital, as the name of a fact: `Age of the floor price`.
 */
export function nameInFacts(metric: string): string {
  const name = metricName(metric);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
