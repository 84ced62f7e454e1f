import { RATIO_UNIT } from '#shared/domain/market/floor-ratio.ts';
import type { Family } from '#shared/domain/metrics/family.ts';
import { OF_CHANGE } from './of-change.ts';

export const relativeChangePct = {
  ...OF_CHANGE,
  subject: 'ratio',
  unit: RATIO_UNIT,
  signWords: {
    above: (percent) =>
      `the floor has gained more than ${percent} against the collections with which it is compared`,
    below: (percent) =>
      `the floor has lost more than ${percent} against the collections with which it is compared`,
    positive: (percent) => `a gain of ${percent}`,
    negative: (percent) => `a loss of ${percent}`,
  },
  named: (window) => `relative floor price change in ${window}`,
  basis: (window) => ({ price: 'Floor ratio', reference: `${window} earlier` }),
  described:
    '`relative_change_pct.<window>`: for a member with `of`, the change of `floor_ratio` since the beginning of the window, as a signed percentage. It is positive if the floor of the member did better than the floors in `of`, and 0 if all floors changed by the same percentage. There is no value if the ratio at the beginning of the window is unknown.',
} as const satisfies Family;
