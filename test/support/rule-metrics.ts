import { parseDecimal } from '#shared/domain/market/decimal.ts';
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
 * What random rules measure of prices: of each family the metrics whose windows are no longer than
 * a market is known, and whose sales are those of a day.
 */
export function metricsWithin(longest: number): readonly (readonly Metric[])[] {
  const metrics = new Set(METRIC_NAMES.map((name) => Metric.parse(name)));
  const known = [...metrics].filter(
    (metric) =>
      !isClock(metric) &&
      (windowOf(metric) ?? 0) <= longest &&
      partsOfMetric(metric).every((part) => part === 'floor' || part === 'lowest.1d'),
  );
  return [...Map.groupBy(known, (metric) => metric.split('.')[0]).values()];
}

/** Between which numbers a metric usually is, in a market of such a floor, in ETH, and such dollars for one. */
export function usualOf(metric: Metric, floor: number, usdOfOne: number) {
  const { usual, unit } = familyOf(metric);
  const whole = isPercent(metric) ? 1 : (floor / 100) * (unit === 'usd' ? usdOfOne : 1);
  return { from: usual.from * whole, to: usual.to * whole };
}

/** Whether a rule of a metric may have such a threshold. */
export function isThresholdOf(metric: Metric, text: string): boolean {
  return isThreshold(metric, parseDecimal(text) ?? 0n);
}
