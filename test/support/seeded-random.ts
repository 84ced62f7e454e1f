/** Pseudo-random numbers that are the same for the same seed (mulberry32). */
export type SeededRandom = {
  /** A whole number from 0 up to, but excluding, the limit. */
  readonly below: (limit: number) => number;
  readonly pick: <Thing>(things: readonly Thing[]) => Thing;
};

export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  const pick = <Thing>(things: readonly Thing[]) => things[below(things.length)] as Thing;
  return { below, pick };
}
