import { ONE } from '#shared/domain/market/decimal.ts';
import type { Family } from '#shared/domain/metrics/family.ts';
import { priceIn } from '#shared/domain/metrics/prices.ts';

export const averagePrice = {
  over: 'period',
  seriesOf: ({ period }) => [`volume.${period}d`, `sales.${period}d`],
  readsSales: false,
  isPercent: false,
  unit: { anyBut: 'usd', use: undefined },
  thresholds: { above: 0n },
  usual: { from: 90, to: 130 },
  usualKeepFor: undefined,
  digits: 6,
  signed: false,
  measure: ({ unit, latest: [volume, sales] }) => {
    const traded = priceIn(unit, volume);
    if (traded.kind === 'none') return traded;
    const sold = priceIn('sales', sales);
    if (sold.kind === 'none') return sold;
    // An average needs at least one sale.
    if (sold.value === 0n) return { kind: 'none', why: 'no_data' };
    const basis = { price: traded.value, reference: sold.value };
    return { kind: 'value', value: (traded.value * ONE) / sold.value, basis };
  },
  basis: (days) => ({
    ...{ price: `Volume in ${days}`, reference: `Sales in ${days}`, referenceUnit: 'sales' },
  }),
  named: (days) => `average price in ${days}`,
  described:
    '`average_price.<N>d`: the volume of 1, 7 or 30 days divided by the number of sales in that time. There is no value without a sale.',
} as const satisfies Family;
