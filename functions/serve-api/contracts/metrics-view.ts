import { UNITS } from '#shared/domain/market/currency.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import { FAMILIES } from '#shared/domain/metrics/families.ts';
import type { Family } from '#shared/domain/metrics/family.ts';
import {
  clockOf,
  familiesWith,
  type Metric,
  metricsOf,
  type RuleFamilyName,
  seriesOfMetric,
} from '#shared/domain/metrics/metric.ts';
import { metricName } from '#shared/domain/metrics/value-text.ts';
import { isReportedBy } from '#shared/domain/polling/due-work.ts';
import { supportedConditions } from '#shared/domain/rules/clause.ts';
import { decimalOf } from '#shared/http/price-view.ts';
import type { MetricFamily, NamedMetric } from './answers/contracts.ts';

/** The metrics that rules may name, by family. */
export function metricsView(provider: Provider): readonly MetricFamily[] {
  return familiesWith(() => true).map((id) => familyView(id, provider));
}

function familyView(id: RuleFamilyName, provider: Provider): MetricFamily {
  const family: Family = FAMILIES[id];
  const { thresholds, readsSales, held } = family;
  const metrics = metricsOf(id);
  return {
    id,
    described: family.described,
    over: FAMILIES[id].over,
    metrics: metrics.map((metric) => metricView(id, metric)),
    unit: unitKind(family),
    units: unitsOf(family),
    thresholds: { above: decimalOf(thresholds.above), below: decimalOf(thresholds.below) },
    when: [...new Set(metrics.flatMap(supportedConditions))],
    joins: clockOf(id) === undefined,
    subject: family.subject ?? 'contract',
    takesIgnoreBelow: readsSales,
    needsCost: held !== undefined,
    reported: metrics.flatMap(seriesOfMetric).every((series) => isReportedBy(provider, series)),
  };
}

function metricView(id: RuleFamilyName, metric: Metric): NamedMetric {
  const span = metric.slice(id.length + 1);
  return {
    metric,
    name: metricName(metric),
    span: span === '' ? null : span,
    series: seriesOfMetric(metric),
  };
}

function unitKind({ isPercent, unit }: Family): MetricFamily['unit'] {
  if (isPercent) return 'percent';
  if (typeof unit === 'object') return 'currency';
  return unit === 'any' || unit === 'eth' || unit === 'cost' ? 'currency' : unit;
}

function unitsOf({ unit }: Family): readonly string[] {
  if (unit === 'any') return UNITS;
  if (typeof unit === 'object') return UNITS.filter((one) => one !== unit.anyBut);
  return UNITS.filter((one) => one === unit);
}
