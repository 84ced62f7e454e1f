import type { Family } from '#shared/domain/metrics/family.ts';
import { measuredOfHolding, quotientBounds } from '#shared/domain/metrics/holding.ts';

export const gain = {
  over: 'nothing',
  seriesOf: () => ['floor'],
  readsSales: false,
  isPercent: false,
  unit: 'cost',
  thresholds: {},
  usual: { from: -9, to: 9 },
  usualKeepFor: undefined,
  digits: 'all',
  signed: true,
  measure: (asked) =>
    measuredOfHolding(asked, (floor, { cost, amount }) => {
      const basis = { price: floor, reference: cost };
      return { kind: 'value', value: amount * (floor - cost), basis };
    }),
  held: {
    pricesAt: (value, { cost, amount }) => {
      const [least, greatest] = quotientBounds(value, amount);
      return [cost + least, cost + greatest];
    },
  },
  named: () => 'total gain',
  basis: () => ({ price: 'Floor price', reference: 'Cost' }),
  described:
    '`gain`: the difference between the floor and the `cost` of the contract in its list, multiplied by its `amount`; negative if the floor is lower. Its unit is that of the cost. A rule on `gain` applies only to contracts with a cost.',
} as const satisfies Family;
