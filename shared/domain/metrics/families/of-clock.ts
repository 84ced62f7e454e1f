import { ONE } from '#shared/domain/market/decimal.ts';

/** The longest age of data that a rule may wait for. */
const MINUTES_OF_A_YEAR = 525_600n * ONE;

/** The members that all metrics of the clock share: their values are minutes. */
export const OF_CLOCK = {
  readsSales: false,
  isPercent: false,
  unit: 'minutes',
  thresholds: { above: 0n, below: MINUTES_OF_A_YEAR },
  usual: { from: 3, to: 20 },
  usualKeepFor: undefined,
  digits: 'all',
  signed: false,
} as const;
