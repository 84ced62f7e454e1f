import * as z from 'zod';

/** The maximum page size, and the default. */
export const PAGE_SIZE = 100;

/** The time span of a floor history. */
export const FloorInterval = z.enum(
  ['1d', '7d', '30d', '60d', '90d', '1y', 'all'],
  'expected one of "1d", "7d", "30d", "60d", "90d", "1y", "all"',
);
export type FloorInterval = z.output<typeof FloorInterval>;
