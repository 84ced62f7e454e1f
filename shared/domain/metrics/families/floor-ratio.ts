import { RATIO_UNIT } from '#shared/domain/market/floor-ratio.ts';
import type { Family } from '#shared/domain/metrics/family.ts';
import { priceIn } from '#shared/domain/metrics/prices.ts';

export const floorRatio = {
  over: 'nothing',
  seriesOf: () => ['floor'],
  subject: 'ratio',
  readsSales: false,
  isPercent: false,
  unit: RATIO_UNIT,
  thresholds: { above: 0n },
  usual: { from: 80, to: 120 },
  usualKeepFor: undefined,
  digits: 4,
  signed: false,
  measure: ({ unit, floors }) => priceIn(unit, floors.at(-1)),
  named: () => 'floor ratio',
  described:
    '`floor_ratio`: for a member with `of`, its floor divided by the floor of the contract in `of`, or by the average floor of several contracts. Floors in different currencies are compared in dollars. There is no value while one of the floors is unknown.',
} as const satisfies Family;
