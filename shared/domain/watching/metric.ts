import * as z from 'zod';
import type { Chain } from '#shared/domain/market/chains.ts';
import type { Decimal } from '#shared/domain/market/decimal.ts';
import { LOOK_BACK_DAYS, type Part, type Point } from '#shared/domain/market/point.ts';

/** A number derived from observations, by the name rules use; `lowest_price` is told with its days. */
export type Metric = 'floor_price' | 'floor_price_usd' | `lowest_price.${number}d`;

const METRICS: readonly Metric[] = [
  'floor_price',
  'floor_price_usd',
  ...LOOK_BACK_DAYS.map((days): Metric => `lowest_price.${days}d`),
];
const byName: ReadonlyMap<string, Metric> = new Map([
  ...METRICS.map((metric) => [metric, metric] as const),
  ['lowest_price', 'lowest_price.7d'],
]);

export const Metric = z.string().transform((name, context): Metric => {
  const metric = byName.get(name);
  if (metric !== undefined) return metric;
  context.issues.push({
    code: 'custom',
    input: name,
    message: `expected one of ${[...byName.keys()].join(', ')}`,
  });
  return z.NEVER;
});

/** The part of a contract that a metric is read from. */
export function partOf(metric: Metric): Part {
  if (metric === 'floor_price' || metric === 'floor_price_usd') return 'floor';
  const part: Part = `lowest.${Number(metric.slice('lowest_price.'.length, -1))}d`;
  return part;
}

/** The metrics that are read from a part. */
export function metricsOf(part: Part): readonly Metric[] {
  return METRICS.filter((metric) => partOf(metric) === part);
}

/** The unit a metric is told in where a rule names none. */
export function unitOfMetric(metric: Metric, chain: Chain): string {
  if (metric === 'floor_price') return chain.currency;
  return metric === 'floor_price_usd' ? 'usd' : 'eth';
}

/** The value of a metric at a point, with its unit; undefined where the point does not tell it. */
export function readMetric(
  metric: Metric,
  point: Point,
): { readonly value: Decimal; readonly unit: string } | undefined {
  if (point.kind === 'empty') return undefined;
  if (metric === 'floor_price_usd') {
    return point.usd === undefined ? undefined : { value: point.usd, unit: 'usd' };
  }
  return { value: point.price, unit: point.currency };
}
