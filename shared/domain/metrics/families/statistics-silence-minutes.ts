import type { Family } from '#shared/domain/metrics/family.ts';
import { OF_CLOCK } from './of-clock.ts';

export const statisticsSilenceMinutes = {
  over: 'series',
  isInternal: true,
  seriesOf: ({ series }) => [series],
  ...OF_CLOCK,
  measure: {
    since: 'last_answer',
    missing: 'no statistics',
    again: 'statistics are back',
    inPreview:
      'Gaps in statistics are not recorded, so the preview cannot show alerts about missing statistics.',
  },
  named: () => 'time without statistics',
  described:
    '`statistics_silence_minutes.<series>`: the time since the statistic was last read successfully.',
} as const satisfies Family;
