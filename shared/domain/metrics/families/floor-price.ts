import type { Family } from '#shared/domain/metrics/family.ts';
import { priceIn } from '#shared/domain/metrics/prices.ts';

export const floorPrice = {
  over: 'nothing',
  seriesOf: () => ['floor'],
  readsSales: false,
  isPercent: false,
  unit: { anyBut: 'usd', use: 'floor_price_usd' },
  thresholds: { above: 0n },
  usual: { from: 93, to: 107 },
  usualKeepFor: undefined,
  digits: 'all',
  signed: false,
  measure: ({ unit, floors }) => priceIn(unit, floors.at(-1)),
  named: () => 'floor price',
  described: '`floor_price`: the newest floor, in the currency of the chain.',
} as const satisfies Family;
