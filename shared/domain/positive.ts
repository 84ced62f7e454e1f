import * as z from 'zod';

/** A whole number above zero, as an environment variable reports it. */
export const Positive = z
  .string()
  .regex(/^\d{1,12}$/, 'expected a whole number')
  .transform(Number)
  .refine((value) => value > 0, 'expected a number above zero');
