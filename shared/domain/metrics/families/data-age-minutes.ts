import type { Family } from '#shared/domain/metrics/family.ts';
import { OF_CLOCK } from './of-clock.ts';

export const dataAgeMinutes = {
  over: 'nothing',
  seriesOf: () => ['floor'],
  ...OF_CLOCK,
  measure: {
    since: 'newest',
    missing: 'no new floor price',
    again: 'floor prices are back',
    inPreview:
      'The preview counts the age of data from the times of the recorded prices, as if each price had been reported without delay.',
  },
  named: () => 'age of the floor price',
  described:
    '`data_age_minutes`: the age of the newest floor at the current time. Only `above` is allowed.',
} as const satisfies Family;
