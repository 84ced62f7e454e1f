import type { Family } from '#shared/domain/metrics/family.ts';
import { priceIn } from '#shared/domain/metrics/prices.ts';

export const sales = {
  over: 'period',
  seriesOf: ({ period }) => [`sales.${period}d`],
  readsSales: false,
  isPercent: false,
  unit: 'sales',
  thresholds: { above: 0n },
  usual: { from: 5, to: 60 },
  usualKeepFor: undefined,
  digits: 'all',
  signed: false,
  measure: ({ unit, latest: [latest] }) => priceIn(unit, latest),
  named: (days) => `number of sales in ${days}`,
  described: '`sales.<N>d`: the number of sales in 1, 7 or 30 days, as reported by the provider.',
} as const satisfies Family;
