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

export const floorVsAveragePct = {
  over: 'window',
  isContinuous: true,
  seriesOf: () => ['floor'],
  readsSales: false,
  isPercent: true,
  unit: 'any',
  thresholds: { above: -HUNDRED_PERCENT },
  usual: { from: -6, to: 6 },
  usualKeepFor: HOUR,
  digits: 2,
  signed: true,
  signWords: {
    above: (percent) => `the floor is more than ${percent} above its average`,
    below: (percent) => `the floor is more than ${percent} below its average`,
    positive: (percent) => `a floor ${percent} above its average`,
    negative: (percent) => `a floor ${percent} below its average`,
  },
  measure: ({ unit, floors, start, at }) => deviation(unit, floors, start, at),
  named: (window) => `floor price deviation from its ${window} average`,
  basis: (window) => ({ price: 'Floor price', reference: `${window} average` }),
  described:
    '`floor_vs_average_pct.<window>`: the deviation of the floor from its time-weighted moving average over the window, as a signed percentage. There is no value if the floor was unknown or in another currency at any time in the window. Recovery alerts for this metric do not report the extreme value.',
} as const satisfies Family;

/** The deviation of the last price from the time-weighted average of the window. */
function deviation(unit: string, floors: readonly Point[], start: Instant, at: Instant): Measure {
  const now = priceIn(unit, floors.at(-1));
  if (now.kind === 'none') return now;
  const { points, isWhole } = heldSince(floors, start);
  if (!isWhole || hasGapSince(floors, start)) return { kind: 'none', why: 'short_window' };
  let sum = 0n;
  for (const [index, point] of points.entries()) {
    const price = priceIn(unit, point);
    if (price.kind === 'none') return price;
    const until = Math.min(points[index + 1]?.time ?? at, at);
    sum += price.value * BigInt(Math.max(0, until - Math.max(point.time, start)));
  }
  const length = BigInt(at - start);
  return share(now.value * length - sum, sum, { price: now.value, reference: sum / length });
}

/**
 * An average needs all prices of the window. A change needs only the first and the last price, so
 * gaps between them are harmless.
 */
function hasGapSince(floors: readonly Point[], start: Instant): boolean {
  return floors.some(
    (point) => point.time > start && point.kind === 'price' && point.isAfterGap === true,
  );
}
