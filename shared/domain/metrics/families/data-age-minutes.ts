import { ONE } from '#shared/domain/market/decimal.ts';
import type { Family } from '#shared/domain/metrics/family.ts';

/** The longest age of data that a rule may wait for. */
export const MINUTES_OF_A_YEAR = 525_600n * ONE;

export const dataAgeMinutes = {
  over: 'nothing',
  partsOf: () => ['floor'],
  readsSales: false,
  isPercent: false,
  unit: 'minutes',
  thresholds: { above: 0n, below: MINUTES_OF_A_YEAR },
  usual: { from: 3, to: 20 },
  usualKeepFor: undefined,
  digits: 'all',
  signed: false,
  measure: {
    since: 'newest',
    missing: 'no new floor price',
    again: 'floor prices are back',
    inPreview:
      'The age of data is counted from the times of the recorded prices, as if each was reported without delay.',
  },
  named: () => 'age of the floor price',
  described: '`data_age_minutes`: the age of the newest floor, by the clock; with `above` only.',
} as const satisfies Family;
