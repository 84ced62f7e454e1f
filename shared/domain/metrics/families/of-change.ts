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

/** Common properties of the metrics that measure a change since the beginning of a window. */
export const OF_CHANGE = {
  over: 'window',
  seriesOf: () => ['floor'],
  readsSales: false,
  isPercent: true,
  thresholds: { above: -HUNDRED_PERCENT },
  usual: { from: -8, to: 8 },
  usualKeepFor: HOUR,
  digits: 2,
  signed: true,
  measure: ({ unit, floors, start }) => change(unit, floors, start),
} as const satisfies Partial<Family>;

/** The change from the price at the start of the window to the last price, in percent. */
export function change(unit: string, floors: readonly Point[], start: Instant): Measure {
  const now = priceIn(unit, floors.at(-1));
  if (now.kind === 'none') return now;
  const { points, isWhole } = heldSince(floors, start);
  if (!isWhole) return { kind: 'none', why: 'short_window' };
  const before = priceIn(unit, points[0]);
  if (before.kind === 'none') return before;
  return share(now.value - before.value, before.value, {
    price: now.value,
    reference: before.value,
  });
}
