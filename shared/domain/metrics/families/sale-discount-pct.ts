import { HOUR } from '#shared/domain/market/instant.ts';
import type { Family } from '#shared/domain/metrics/family.ts';
import { HUNDRED_PERCENT, priceIn, sale, share } from '#shared/domain/metrics/prices.ts';

export const saleDiscountPct = {
  over: 'days',
  seriesOf: ({ sales }) => ['floor', sales],
  readsSales: true,
  isPercent: true,
  unit: 'eth',
  thresholds: { below: HUNDRED_PERCENT },
  usual: { from: 2, to: 20 },
  usualKeepFor: HOUR,
  digits: 2,
  signed: false,
  measure: ({ unit, floors, latest: [, latest], ignoreBelow }) => {
    const price = priceIn(unit, latest);
    if (price.kind === 'none') return price;
    const floor = priceIn(unit, floors.at(-1));
    if (floor.kind === 'none') return floor;
    const sold = sale(price, ignoreBelow, floor);
    if (sold.kind === 'none') return sold;
    const basis = { price: sold.value, reference: floor.value };
    return share(floor.value - sold.value, floor.value, basis);
  },
  named: (days) => `discount of the lowest sale in ${days}`,
  basis: () => ({ price: 'Lowest sale', reference: 'Floor price' }),
  described:
    '`sale_discount_pct.<N>d`: how far the lowest sale is below the floor, in percent; 7 days by default.',
} as const satisfies Family;
