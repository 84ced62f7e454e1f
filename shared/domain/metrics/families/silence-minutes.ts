import type { Family } from '#shared/domain/metrics/family.ts';
import { MINUTES_OF_A_YEAR } from './data-age-minutes.ts';

export const silenceMinutes = {
  over: 'days',
  isInternal: true,
  partsOf: ({ sales }) => [sales],
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
    missing: 'no sales data',
    again: 'sales data are back',
    inPreview:
      'Times without answers on lowest sales are not recorded, so missing data of sales is not replayed.',
  },
  named: () => 'time without sales data',
  described: '`silence_minutes.<N>d`: how long a lowest sale could not be read.',
} as const satisfies Family;
