import { UNITS } from '#shared/domain/market/currency.ts';
import { FAMILIES } from '#shared/domain/metrics/families.ts';
import type { Family } from '#shared/domain/metrics/family.ts';
import {
  clockOf,
  type FamilyName,
  familiesWith,
  type Metric,
  metricsOf,
  partsOfMetric,
} from '#shared/domain/metrics/metric.ts';
import { metricName } from '#shared/domain/metrics/value-text.ts';
import { decimalOf } from '#shared/domain/polling/part-view.ts';
import { whensOf } from '#shared/domain/rules/clause.ts';

/** All metrics that rules may name, by their families. */
export function metricsView() {
  return familiesWith(() => true).map(familyView);
}

function familyView(id: FamilyName) {
  const family: Family = FAMILIES[id];
  const { thresholds, readsSales } = family;
  const metrics = metricsOf(id);
  return {
    id,
    described: family.described,
    over: family.over,
    metrics: metrics.map((metric) => metricView(id, metric)),
    unit: unitKind(family),
    /** The currencies that a rule may name in `unit`. */
    units: unitsOf(family),
    thresholds: { above: decimalOf(thresholds.above), below: decimalOf(thresholds.below) },
    when: [...new Set(metrics.flatMap(whensOf))],
    /** Whether it may stand in `all` beside others. */
    joins: clockOf(id) === undefined,
    takesIgnoreBelow: readsSales,
  };
}

function metricView(id: FamilyName, metric: Metric) {
  const span = metric.slice(id.length + 1);
  return {
    metric,
    name: metricName(metric),
    span: span === '' ? null : span,
    parts: partsOfMetric(metric),
  };
}

function unitKind({ isPercent, unit }: Family) {
  if (isPercent) return 'percent';
  return unit === 'minutes' || unit === 'usd' ? unit : 'currency';
}

function unitsOf({ unit }: Family): readonly string[] {
  if (unit === 'any') return UNITS;
  if (typeof unit === 'object') return UNITS.filter((one) => one !== unit.anyBut);
  return UNITS.filter((one) => one === unit);
}
