import type { Answer } from '#console/interface/operations.ts';

/** Metrics that differ only in their time span. */
export type Family = Answer<'GET /v1/metrics'>['metrics'][number];

export function familyOf(metrics: readonly Family[], metric: string): Family | undefined {
  return metrics.find((one) => one.metrics.some((named) => named.metric === metric));
}

/** Groups families by the data that they measure, in the order of the API. */
export function groupsOf(
  metrics: readonly Family[],
): readonly (readonly [label: string, families: readonly Family[]])[] {
  return [...Map.groupBy(metrics, groupOf)];
}

function groupOf({ over, unit, subject, needsCost }: Family): string {
  if (subject === 'ratio') return 'Comparison';
  if (subject === 'list') return 'List value';
  if (needsCost) return 'Your gain';
  switch (over) {
    case 'window':
      return 'Floor changes';
    case 'days':
      return 'Lowest sales';
    case 'period':
      return 'Volume and sales';
    case 'nothing':
      return unit === 'owners' ? 'Owners' : 'Floor';
  }
}

/**
 * The unit of a metric as text, which is empty for a ratio. A gain has the currency of the cost.
 */
export function unitOf(
  family: Family | undefined,
  chain: string,
  cost?: { readonly unit: string },
) {
  const currency = family?.needsCost ? (cost?.unit ?? chain) : chain;
  switch (family?.unit) {
    case 'usd':
      return 'USD';
    case 'percent':
      return '%';
    case 'minutes':
    case 'sales':
    case 'owners':
      return family.unit;
    case 'ratio':
      return '';
    case 'currency':
    case undefined:
      return currency.toUpperCase();
  }
}
