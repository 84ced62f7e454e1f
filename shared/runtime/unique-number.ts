import { randomInt } from 'node:crypto';

/** A number that nobody else draws: the greatest range that is drawn from has 48 bits. */
export function uniqueNumber(): number {
  return randomInt(1, 2 ** 47);
}
