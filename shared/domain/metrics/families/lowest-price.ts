import type { Family } from '#shared/domain/metrics/family.ts';
import { priceIn, sale } from '#shared/domain/metrics/prices.ts';

export const lowestPrice = {
  over: 'days',
  seriesOf: ({ sales }) => [sales],
  readsSales: true,
  isPercent: false,
  unit: 'eth',
  thresholds: { above: 0n },
  usual: { from: 85, to: 100 },
  usualKeepFor: undefined,
  digits: 'all',
  signed: false,
  measure: ({ unit, latest: [latest], ignoreBelow }) => sale(priceIn(unit, latest), ignoreBelow),
  named: (days) => `lowest sale in ${days}`,
  described: '`lowest_price.<N>d`: the lowest sale of the last N days, in ETH; 7 days by default.',
} as const satisfies Family;
