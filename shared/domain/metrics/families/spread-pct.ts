import { HOUR } from '#shared/domain/market/instant.ts';
import type { Family } from '#shared/domain/metrics/family.ts';
import { HUNDRED_PERCENT, priceIn, share } from '#shared/domain/metrics/prices.ts';
import { offer } from './best-offer.ts';

export const spreadPct = {
  over: 'nothing',
  seriesOf: () => ['floor', 'offer'],
  readsSales: false,
  isPercent: true,
  unit: { anyBut: 'usd', use: undefined },
  thresholds: { below: HUNDRED_PERCENT },
  usual: { from: 0, to: 15 },
  usualKeepFor: HOUR,
  digits: 2,
  signed: false,
  measure: ({ unit, floors, latest: [, latest] }) => {
    const best = offer(unit, latest);
    if (best.kind === 'none') return best;
    const floor = priceIn(unit, floors.at(-1));
    if (floor.kind === 'none') return floor;
    const basis = { price: best.value, reference: floor.value };
    return share(floor.value - best.value, floor.value, basis);
  },
  named: () => 'spread between floor and best offer',
  basis: () => ({ price: 'Best offer', reference: 'Floor price' }),
  described:
    '`spread_pct`: how far the best offer is below the floor, in percent of the floor; negative if the offer is above the floor. The floor and the offer are compared in the same currency. There is no value without a floor or without an offer. Recovery alerts for this metric do not report the extreme value.',
} as const satisfies Family;
