import * as z from 'zod';

/** A positive integer in an environment variable. */
export const Positive = z
  .string()
  .regex(/^\d{1,12}$/, 'expected a whole number')
  .transform(Number)
  .refine((value) => value > 0, 'expected a number above zero');
