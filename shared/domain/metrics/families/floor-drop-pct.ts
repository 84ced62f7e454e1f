import { HOUR } from '#shared/domain/market/instant.ts';
import type { Family } from '#shared/domain/metrics/family.ts';
import { HUNDRED_PERCENT } from '#shared/domain/metrics/prices.ts';
import { floorChangePct } from './floor-change-pct.ts';
import { change } from './of-change.ts';

const { above, below, positive, negative } = floorChangePct.signWords;

export const floorDropPct = {
  over: 'window',
  seriesOf: () => ['floor'],
  readsSales: false,
  isPercent: true,
  unit: 'any',
  thresholds: { below: HUNDRED_PERCENT },
  usual: { from: -8, to: 8 },
  usualKeepFor: HOUR,
  digits: 2,
  signed: false,
  signWords: { above: below, below: above, positive: negative, negative: positive },
  measure: ({ unit, floors, start }) => {
    const changed = change(unit, floors, start);
    return changed.kind === 'value' ? { ...changed, value: -changed.value } : changed;
  },
  named: (window) => `floor price drop in ${window}`,
  basis: (window) => ({ price: 'Floor price', reference: `${window} earlier` }),
  described:
    '`floor_drop_pct.<window>`: like `floor_change_pct`, but positive when the floor falls.',
} as const satisfies Family;
