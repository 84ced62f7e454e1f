import type { Family } from '#shared/domain/metrics/family.ts';
import { OF_CLOCK } from './of-clock.ts';

export const silenceMinutes = {
  over: 'days',
  isInternal: true,
  partsOf: ({ sales }) => [sales],
  ...OF_CLOCK,
  measure: {
    since: 'last_answer',
    missing: 'no sales data',
    again: 'sales data are back',
    inPreview:
      'Times without answers on lowest sales are not recorded, so missing data of sales is not replayed.',
  },
  named: () => 'time without sales data',
  described: '`silence_minutes.<N>d`: how long a lowest sale could not be read.',
} as const satisfies Family;
