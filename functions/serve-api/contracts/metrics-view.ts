import { UNITS } from '#shared/domain/market/currency.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import { FAMILIES } from '#shared/domain/metrics/families.ts';
import type { Family } from '#shared/domain/metrics/family.ts';
import {
  clockOf,
  familiesWith,
  type Metric,
  metricsOf,
  partsOfMetric,
  type RuleFamilyName,
} from '#shared/domain/metrics/metric.ts';
import { metricName } from '#shared/domain/metrics/value-text.ts';
import { isReportedBy } from '#shared/domain/polling/due-work.ts';
import { whensOf } from '#shared/domain/rules/clause.ts';
import { decimalOf } from '#shared/http/price-view.ts';
import type { MetricFamily, NamedMetric } from './answers/contracts.ts';

/** All metrics that rules may name, by their families. */
export function metricsView(provider: Provider): readonly MetricFamily[] {
  return familiesWith(() => true).map((id) => familyView(id, provider));
}

function familyView(id: RuleFamilyName, provider: Provider): MetricFamily {
  const family: Family = FAMILIES[id];
  const { thresholds, readsSales } = family;
  const metrics = metricsOf(id);
  return {
    id,
    described: family.described,
    over: FAMILIES[id].over,
    metrics: metrics.map((metric) => metricView(id, metric)),
    unit: unitKind(family),
    units: unitsOf(family),
    thresholds: { above: decimalOf(thresholds.above), below: decimalOf(thresholds.below) },
    when: [...new Set(metrics.flatMap(whensOf))],
    joins: clockOf(id) === undefined,
    takesIgnoreBelow: readsSales,
    reported: metrics.flatMap(partsOfMetric).every((part) => isReportedBy(provider, part)),
  };
}

function metricView(id: RuleFamilyName, metric: Metric): NamedMetric {
  const span = metric.slice(id.length + 1);
  return {
    metric,
    name: metricName(metric),
    span: span === '' ? null : span,
    parts: partsOfMetric(metric),
  };
}

function unitKind({ isPercent, unit }: Family): MetricFamily['unit'] {
  if (isPercent) return 'percent';
  return typeof unit === 'object' || unit === 'any' || unit === 'eth' ? 'currency' : unit;
}

function unitsOf({ unit }: Family): readonly string[] {
  if (unit === 'any') return UNITS;
  if (typeof unit === 'object') return UNITS.filter((one) => one !== unit.anyBut);
  return UNITS.filter((one) => one === unit);
}
