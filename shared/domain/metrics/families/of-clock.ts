import { ONE } from '#shared/domain/market/decimal.ts';

/** Maximum threshold of a rule on the age of data. */
const MINUTES_OF_A_YEAR = 525_600n * ONE;

/** Common properties of the clock metrics, whose values are minutes. */
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
