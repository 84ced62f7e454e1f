import type { Family } from '#shared/domain/metrics/family.ts';
import { OF_CHANGE } from './of-change.ts';

export const floorChangePct = {
  ...OF_CHANGE,
  unit: 'any',
  signWords: {
    above: (percent) => `the floor has risen by more than ${percent}`,
    below: (percent) => `the floor has fallen by more than ${percent}`,
    positive: (percent) => `a rise of ${percent}`,
    negative: (percent) => `a fall of ${percent}`,
    falls: 'floor_drop_pct',
  },
  named: (window) => `floor price change in ${window}`,
  basis: (window) => ({ price: 'Floor price', reference: `${window} earlier` }),
  described:
    '`floor_change_pct.<window>`: the change of the floor since the beginning of the window, as a signed percentage. There is no value if the floor at that time is unknown.',
} as const satisfies Family;
