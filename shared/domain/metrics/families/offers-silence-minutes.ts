import type { Family } from '#shared/domain/metrics/family.ts';
import { MINUTES_OF_A_YEAR } from './data-age-minutes.ts';

export const offersSilenceMinutes = {
  over: 'nothing',
  isInternal: true,
  partsOf: () => ['offer'],
  readsSales: false,
  isPercent: false,
  unit: 'minutes',
  thresholds: { above: 0n, below: MINUTES_OF_A_YEAR },
  usual: { from: 3, to: 20 },
  usualKeepFor: undefined,
  digits: 'all',
  signed: false,
  measure: {
    since: 'last_answer',
    missing: 'no offer data',
    again: 'offer data are back',
    inPreview:
      'Times without answers on offers are not recorded, so missing data of offers is not replayed.',
  },
  named: () => 'time without offer data',
  described: '`offers_silence_minutes`: how long the best offer could not be read.',
} as const satisfies Family;
