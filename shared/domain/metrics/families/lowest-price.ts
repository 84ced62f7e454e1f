import type { Family } from '#shared/domain/metrics/family.ts';
import { priceIn, sale } from '#shared/domain/metrics/prices.ts';

export const lowestPrice = {
  over: 'days',
  partsOf: ({ sales }) => [sales],
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
  described:
    '`lowest_price.<N>d`: the lowest sale of the last N days, in ETH; seven days if N is left out.',
} as const satisfies Family;
