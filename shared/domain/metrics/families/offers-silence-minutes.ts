import type { Family } from '#shared/domain/metrics/family.ts';
import { OF_CLOCK } from './of-clock.ts';

export const offersSilenceMinutes = {
  over: 'nothing',
  isInternal: true,
  seriesOf: () => ['offer'],
  ...OF_CLOCK,
  measure: {
    since: 'last_answer',
    missing: 'no offer data',
    again: 'offer data are back',
    inPreview:
      'Gaps in offer data are not recorded, so the preview cannot show alerts about missing offer data.',
  },
  named: () => 'time without offer data',
  described: '`offers_silence_minutes`: the time since the best offer was last read successfully.',
} as const satisfies Family;
