import { parseDecimal } from '#shared/domain/market/decimal.ts';
import type { Part } from '#shared/domain/market/price-series.ts';
import {
  familyOf,
  isClock,
  isPercent,
  isThreshold,
  METRIC_NAMES,
  Metric,
  partsOfMetric,
  windowOf,
} from '#shared/domain/metrics/metric.ts';

/**
 * The metrics of random rules, grouped by family. Their windows are no longer than `longest`, and
 * they read only the given series.
 */
export function metricsWithin(
  longest: number,
  series: readonly Part[] = ['floor', 'lowest.1d'],
): readonly (readonly Metric[])[] {
  const metrics = new Set(METRIC_NAMES.map((name) => Metric.parse(name)));
  const known = [...metrics].filter(
    (metric) =>
      !isClock(metric) &&
      (windowOf(metric) ?? 0) <= longest &&
      partsOfMetric(metric).every((part) => series.includes(part)),
  );
  return [...Map.groupBy(known, (metric) => metric.split('.')[0]).values()];
}

/** Between which numbers a metric usually is, in a market of such a floor, in ETH, and such dollars for one. */
export function usualOf(metric: Metric, floor: number, usdOfOne: number) {
  const { usual, unit } = familyOf(metric);
  const isCounted = unit === 'sales' || unit === 'owners';
  const whole =
    isPercent(metric) || isCounted ? 1 : (floor / 100) * (unit === 'usd' ? usdOfOne : 1);
  return { from: usual.from * whole, to: usual.to * whole };
}

/** Whether a rule of a metric may have such a threshold. */
export function isThresholdOf(metric: Metric, text: string): boolean {
  return isThreshold(metric, parseDecimal(text) ?? 0n);
}
