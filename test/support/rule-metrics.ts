import { parseDecimal } from '#shared/domain/market/decimal.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import {
  familyOf,
  isClock,
  isPercent,
  isThreshold,
  METRIC_NAMES,
  Metric,
  seriesOfMetric,
  windowOf,
} from '#shared/domain/metrics/metric.ts';

/**
 * The metrics for random rules on single contracts, grouped by family. The metrics have windows of
 * at most `longest`, and read only the given series.
 */
export function metricsWithin(
  longest: number,
  series: readonly PriceSeriesName[] = ['floor', 'lowest.1d'],
): readonly (readonly Metric[])[] {
  const metrics = new Set(METRIC_NAMES.map((name) => Metric.parse(name)));
  const known = [...metrics].filter(
    (metric) =>
      !isClock(metric) &&
      familyOf(metric).subject === undefined &&
      (windowOf(metric) ?? 0) <= longest &&
      seriesOfMetric(metric).every((name) => series.includes(name)),
  );
  return [...Map.groupBy(known, (metric) => metric.split('.')[0]).values()];
}

/**
 * The usual range of a metric in a market with this floor in ETH and this dollar price of one ETH.
 */
export function usualOf(metric: Metric, floor: number, usdOfOne: number) {
  const { usual, unit } = familyOf(metric);
  const isCounted = unit === 'sales' || unit === 'owners';
  const whole =
    isPercent(metric) || isCounted ? 1 : (floor / 100) * (unit === 'usd' ? usdOfOne : 1);
  return { from: usual.from * whole, to: usual.to * whole };
}

/** Whether a rule with this metric may have this threshold. */
export function isThresholdOf(metric: Metric, text: string): boolean {
  return isThreshold(metric, parseDecimal(text) ?? 0n);
}
