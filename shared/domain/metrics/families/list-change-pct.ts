import type { Family } from '#shared/domain/metrics/family.ts';
import { OF_CHANGE } from './of-change.ts';

export const listChangePct = {
  ...OF_CHANGE,
  subject: 'list',
  unit: 'any',
  signWords: {
    above: (percent) => `the value has risen by more than ${percent}`,
    below: (percent) => `the value has fallen by more than ${percent}`,
    positive: (percent) => `a rise of ${percent}`,
    negative: (percent) => `a fall of ${percent}`,
  },
  named: (window) => `value change in ${window}`,
  basis: (window) => ({ price: 'Value', reference: `${window} earlier` }),
  described:
    '`list_change_pct.<window>`: the change of `list_value` since the beginning of the window, as a signed percentage. Both values are computed for the tokens that the list holds now, so purchases and sales do not affect the change.',
} as const satisfies Family;
