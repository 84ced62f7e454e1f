import type { Family } from '#shared/domain/metrics/family.ts';
import { OF_CLOCK } from './of-clock.ts';

export const offersSilenceMinutes = {
  over: 'nothing',
  isInternal: true,
  partsOf: () => ['offer'],
  ...OF_CLOCK,
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
