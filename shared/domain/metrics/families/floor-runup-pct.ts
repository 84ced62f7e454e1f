import { HOUR } from '#shared/domain/market/instant.ts';
import type { Family } from '#shared/domain/metrics/family.ts';
import { excursion } from './floor-drawdown-pct.ts';

export const floorRunupPct = {
  over: 'window',
  seriesOf: () => ['floor'],
  readsSales: false,
  isPercent: true,
  unit: 'any',
  thresholds: { above: 0n },
  usual: { from: 2, to: 20 },
  usualKeepFor: HOUR,
  digits: 2,
  signed: false,
  measure: ({ unit, floors, start }) => excursion('runup', unit, floors, start),
  named: (window) => `floor price run-up in ${window}`,
  basis: (window) => ({ price: 'Floor price', reference: `Lowest in ${window}` }),
  described:
    '`floor_runup_pct.<window>`: how far the floor is above the lowest floor of the window, in percent.',
} as const satisfies Family;
