import type { Family } from '#shared/domain/metrics/family.ts';
import { MINUTES_OF_A_YEAR } from './data-age-minutes.ts';

export const statisticsSilenceMinutes = {
  over: 'series',
  isInternal: true,
  partsOf: ({ series }) => [series],
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
    missing: 'no statistics',
    again: 'statistics are back',
    inPreview:
      'Times without answers on statistics are not recorded, so missing statistics are not replayed.',
  },
  named: () => 'time without statistics',
  described:
    '`statistics_silence_minutes.<series>`: how long a statistic of a collection could not be read.',
} as const satisfies Family;
