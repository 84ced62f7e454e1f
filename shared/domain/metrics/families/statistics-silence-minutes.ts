import type { Family } from '#shared/domain/metrics/family.ts';
import { OF_CLOCK } from './of-clock.ts';

export const statisticsSilenceMinutes = {
  over: 'series',
  isInternal: true,
  partsOf: ({ series }) => [series],
  ...OF_CLOCK,
  measure: {
    since: 'last_answer',
    missing: 'no statistics',
    again: 'statistics are back',
    inPreview:
      'Times without answers on statistics are not recorded, so missing statistics are not replayed.',
  },
  named: () => 'time without statistics',
  described:
    '`statistics_silence_minutes.<series>`: how long a statistic of a collection could not be read.',
} as const satisfies Family;
