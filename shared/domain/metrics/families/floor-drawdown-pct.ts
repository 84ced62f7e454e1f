import { HOUR, type Instant } from '#shared/domain/market/instant.ts';
import type { Point } from '#shared/domain/market/point.ts';
import type { Family } from '#shared/domain/metrics/family.ts';
import {
  HUNDRED_PERCENT,
  heldSince,
  type Measure,
  priceIn,
  share,
} from '#shared/domain/metrics/prices.ts';

export const floorDrawdownPct = {
  over: 'window',
  seriesOf: () => ['floor'],
  readsSales: false,
  isPercent: true,
  unit: 'any',
  thresholds: { above: 0n, below: HUNDRED_PERCENT },
  usual: { from: 2, to: 16 },
  usualKeepFor: HOUR,
  digits: 2,
  signed: false,
  measure: ({ unit, floors, start }) => excursion('drawdown', unit, floors, start),
  named: (window) => `floor price drawdown in ${window}`,
  basis: (window) => ({ price: 'Floor price', reference: `Highest in ${window}` }),
  described:
    '`floor_drawdown_pct.<window>`: how far the floor is below the highest floor of the window, in percent. If the recorded floors do not cover the window, the highest recorded one counts.',
} as const satisfies Family;

/**
 * The distance of the last price from the highest or lowest price since the start of the window.
 */
export function excursion(
  kind: 'drawdown' | 'runup',
  unit: string,
  floors: readonly Point[],
  start: Instant,
): Measure {
  const now = priceIn(unit, floors.at(-1));
  if (now.kind === 'none') return now;
  let reference = now.value;
  for (const point of heldSince(floors, start).points) {
    const price = priceIn(unit, point);
    if (price.kind === 'none') continue;
    const isFurther = kind === 'drawdown' ? price.value > reference : price.value < reference;
    if (isFurther) reference = price.value;
  }
  const moved = kind === 'drawdown' ? reference - now.value : now.value - reference;
  return share(moved, reference, { price: now.value, reference });
}
