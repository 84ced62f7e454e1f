import type { Answer } from '#console/interface/operations.ts';

/** Metrics of one name, each with another span. */
export type Family = Answer<'GET /v1/metrics'>['metrics'][number];

export function familyOf(metrics: readonly Family[], metric: string): Family | undefined {
  return metrics.find((one) => one.metrics.some((named) => named.metric === metric));
}

/** Families by the kind of data that they measure, in the order of the interface. */
export function groupsOf(
  metrics: readonly Family[],
): readonly (readonly [label: string, families: readonly Family[]])[] {
  return [...Map.groupBy(metrics, groupOf)];
}

function groupOf({ over, unit }: Family): string {
  switch (over) {
    case 'window':
      return 'Moves of the floor';
    case 'days':
      return 'Lowest sales';
    case 'period':
      return 'Volume and sales';
    case 'nothing':
      return unit === 'owners' ? 'Owners' : 'Floor';
  }
}

/** What numbers of a metric are in, as people write it. */
export function unitOf(family: Family | undefined, currency: string): string {
  switch (family?.unit) {
    case 'usd':
      return 'USD';
    case 'percent':
      return '%';
    case 'minutes':
    case 'sales':
    case 'owners':
      return family.unit;
    case 'currency':
    case undefined:
      return currency.toUpperCase();
  }
}
