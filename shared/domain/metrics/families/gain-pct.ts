import { HOUR } from '#shared/domain/market/instant.ts';
import type { Family } from '#shared/domain/metrics/family.ts';
import { measuredOfHolding, quotientBounds } from '#shared/domain/metrics/holding.ts';
import { HUNDRED_PERCENT, share } from '#shared/domain/metrics/prices.ts';

export const gainPct = {
  over: 'nothing',
  seriesOf: () => ['floor'],
  readsSales: false,
  isPercent: true,
  unit: 'cost',
  thresholds: { above: -HUNDRED_PERCENT },
  usual: { from: -9, to: 9 },
  usualKeepFor: HOUR,
  digits: 2,
  signed: true,
  measure: (asked) =>
    measuredOfHolding(asked, (floor, { cost }) =>
      share(floor - cost, cost, { price: floor, reference: cost }),
    ),
  held: {
    // Percentages are truncated toward zero, so the exact percentage differs by at most one unit of
    // the last digit.
    pricesAt: (value, { cost }) => {
      const [least] = quotientBounds((value - 1n) * cost, HUNDRED_PERCENT);
      const [, greatest] = quotientBounds((value + 1n) * cost, HUNDRED_PERCENT);
      return [cost + least, cost + greatest];
    },
  },
  named: () => 'gain',
  basis: () => ({ price: 'Floor price', reference: 'Cost' }),
  described:
    '`gain_pct`: how far the floor is above the `cost` of the contract in its list, in percent of the cost; negative if the floor is lower. The floor and the cost are compared in the unit of the cost. A rule on `gain_pct` applies only to contracts with a cost.',
} as const satisfies Family;
