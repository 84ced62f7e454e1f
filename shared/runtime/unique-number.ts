import { nodeCrypto } from './node-crypto.ts';

/** A random number that is unique in practice. Node generates at most 48 bits. */
export function uniqueNumber(): number {
  return nodeCrypto().randomInt(1, 2 ** 48 - 1);
}
