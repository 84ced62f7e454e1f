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

export const floorChangePct = {
  over: 'window',
  seriesOf: () => ['floor'],
  readsSales: false,
  isPercent: true,
  unit: 'any',
  thresholds: { above: -HUNDRED_PERCENT },
  usual: { from: -8, to: 8 },
  usualKeepFor: HOUR,
  digits: 2,
  signed: true,
  signWords: {
    above: (percent) => `the floor has risen by more than ${percent}`,
    below: (percent) => `the floor has fallen by more than ${percent}`,
    positive: (percent) => `a rise of ${percent}`,
    negative: (percent) => `a fall of ${percent}`,
    falls: 'floor_drop_pct',
  },
  measure: ({ unit, floors, start }) => change(unit, floors, start),
  named: (window) => `floor price change in ${window}`,
  basis: (window) => ({ price: 'Floor price', reference: `${window} earlier` }),
  described:
    '`floor_change_pct.<window>`: the change of the floor since the beginning of the window, as a signed percentage. There is no value if the floor at that time is unknown.',
} as const satisfies Family;

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
