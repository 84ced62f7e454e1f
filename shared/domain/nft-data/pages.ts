import * as z from 'zod';

/** The largest page, and the default. */
export const PAGE_SIZE = 100;

/** How far back the floors of an answer reach. */
export const FloorInterval = z.enum(
  ['1d', '7d', '30d', '60d', '90d', '1y', 'all'],
  'expected one of "1d", "7d", "30d", "60d", "90d", "1y", "all"',
);
export type FloorInterval = z.output<typeof FloorInterval>;
