import { randomInt } from 'node:crypto';

/** A number that no other caller draws. Node draws from at most 48 bits. */
export function uniqueNumber(): number {
  return randomInt(1, 2 ** 48 - 1);
}
