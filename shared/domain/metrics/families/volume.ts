import type { Family } from '#shared/domain/metrics/family.ts';
import { priceIn } from '#shared/domain/metrics/prices.ts';

export const volume = {
  over: 'period',
  seriesOf: ({ period }) => [`volume.${period}d`],
  readsSales: false,
  isPercent: false,
  unit: { anyBut: 'usd', use: undefined },
  thresholds: { above: 0n },
  usual: { from: 500, to: 6000 },
  usualKeepFor: undefined,
  digits: 4,
  signed: false,
  measure: ({ unit, latest: [latest] }) => priceIn(unit, latest),
  named: (days) => `volume in ${days}`,
  described:
    '`volume.<N>d`: the volume traded in 1, 7 or 30 days, as reported by the provider, in its currency.',
} as const satisfies Family;
