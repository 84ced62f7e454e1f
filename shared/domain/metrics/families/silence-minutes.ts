import type { Family } from '#shared/domain/metrics/family.ts';
import { OF_CLOCK } from './of-clock.ts';

export const silenceMinutes = {
  over: 'days',
  isInternal: true,
  seriesOf: ({ sales }) => [sales],
  ...OF_CLOCK,
  measure: {
    since: 'last_answer',
    missing: 'no sales data',
    again: 'sales data are back',
    inPreview:
      'Gaps in sales data are not recorded, so the preview cannot show alerts about missing sales data.',
  },
  named: () => 'time without sales data',
  described: '`silence_minutes.<N>d`: the time since the lowest sale was last read successfully.',
} as const satisfies Family;
