import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { measure, type Quantity } from '#shared/domain/metrics/measure.ts';
import { seriesOfMetric } from '#shared/domain/metrics/metric.ts';
import { countUpTo } from './known-at-step.ts';
import type { ReportedPast } from './replay-watch.ts';

type Span = { readonly from: Instant; readonly to: Instant };

/** Maximum number of values that are measured for a suggestion. */
const MOST_VALUES = 500;
/** Number of lines between the extreme of a span and its last value. */
const LINES = 8n;
/** The first line is rounded to this fraction of the range, so that it is near the extreme. */
const FINEST = 1000n;

/**
 * The values of a metric in a span, oldest first. If there are more than `MOST_VALUES`, only a part
 * of them, evenly spread.
 */
export function valuesIn(
  quantity: Quantity,
  reported: ReportedPast,
  { from, to }: Span,
): readonly Decimal[] {
  const series = seriesOfMetric(quantity.metric);
  const times = series.flatMap((name) => (reported.get(name) ?? []).map(({ time }) => time));
  const within = [...new Set(times)].filter((time) => time >= from && time <= to);
  const moments = within.toSorted((one, other) => one - other);
  const step = Math.max(1, Math.ceil(moments.length / MOST_VALUES));
  return moments
    .filter((_, index) => index % step === 0 || index === moments.length - 1)
    .flatMap((moment) => {
      const known = series.map((name) => {
        const points = reported.get(name) ?? [];
        return [name, points.slice(0, countUpTo(points, moment))] as const;
      });
      const measured = measure(quantity, new Map(known), moment);
      return measured.kind === 'value' ? [measured.value] : [];
    });
}

/**
 * Round numbers between the extreme of some values and the last value, ordered from the extreme
 * toward the last. An earlier value has passed each of these lines, and the last value has not.
 */
export function candidateLines(
  values: readonly Decimal[],
  when: 'below' | 'above',
): readonly Decimal[] {
  const last = values.at(-1);
  if (last === undefined) return [];
  const isFurther = (one: Decimal, other: Decimal) =>
    when === 'below' ? one < other : one > other;
  const extreme = values.reduce((far, value) => (isFurther(value, far) ? value : far));
  const range = when === 'below' ? last - extreme : extreme - last;
  if (range <= 0n) return [];
  const step = roundStep(range / LINES);
  const towardLast = when === 'below' ? step : -step;
  // Begin with a line very near the extreme: if the market was often near the extreme, every other
  // line may cause too many alerts.
  const lines = [roundedInward(extreme, roundStep(range / FINEST), when)];
  for (let line = roundedInward(extreme, step, when); isFurther(line, last); line += towardLast) {
    if (line !== lines[0]) lines.push(line);
  }
  return lines;
}

/** The smallest of 1, 2, 5, 10, 20, 50, … that is at least a given number. */
function roundStep(least: Decimal): Decimal {
  for (let unit = 1n; ; unit *= 10n) {
    const found = [unit, 2n * unit, 5n * unit].find((step) => step >= least);
    if (found !== undefined) return found;
  }
}

/** The multiple of a step that is nearest to an extreme value, on the side of the other values. */
function roundedInward(value: Decimal, step: Decimal, when: 'below' | 'above'): Decimal {
  const rest = ((value % step) + step) % step;
  if (rest === 0n) return value;
  return when === 'below' ? value - rest + step : value - rest;
}
