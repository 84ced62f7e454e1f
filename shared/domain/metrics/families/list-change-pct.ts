import { HOUR } from '#shared/domain/market/instant.ts';
import type { Family } from '#shared/domain/metrics/family.ts';
import { HUNDRED_PERCENT } from '#shared/domain/metrics/prices.ts';
import { change } from './floor-change-pct.ts';

export const listChangePct = {
  over: 'window',
  seriesOf: () => ['floor'],
  subject: 'list',
  readsSales: false,
  isPercent: true,
  unit: 'any',
  thresholds: { above: -HUNDRED_PERCENT },
  usual: { from: -8, to: 8 },
  usualKeepFor: HOUR,
  digits: 2,
  signed: true,
  signWords: {
    above: (percent) => `the value has risen by more than ${percent}`,
    below: (percent) => `the value has fallen by more than ${percent}`,
    positive: (percent) => `a rise of ${percent}`,
    negative: (percent) => `a fall of ${percent}`,
  },
  measure: ({ unit, floors, start }) => change(unit, floors, start),
  named: (window) => `value change in ${window}`,
  basis: (window) => ({ price: 'Value', reference: `${window} earlier` }),
  described:
    '`list_change_pct.<window>`: the change of `list_value` since the beginning of the window, as a signed percentage. Both values are computed for the tokens that the list holds now, so purchases and sales do not affect the change.',
} as const satisfies Family;
