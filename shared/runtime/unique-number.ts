import { randomInt } from 'node:crypto';

/** A random number that is unique in practice. Node generates at most 48 bits. */
export function uniqueNumber(): number {
  return randomInt(1, 2 ** 48 - 1);
}
