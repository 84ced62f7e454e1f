import { describe, expect, it } from 'vitest';
import { simulate } from './world.ts';

const MINUTES = 40;
const SEEDS = Array.from({ length: 60 }, (_, index) => index + 1);

describe('in a world in which everything goes wrong and then nothing', () => {
  it.each(SEEDS)('nothing is lost, invented or told to others (seed %d)', async (seed) => {
    const { violations } = await simulate(seed, MINUTES);

    expect(violations).toEqual([]);
  });

  it('a seed is lived through in the same way again', async () => {
    const [once, again] = [await simulate(7, MINUTES), await simulate(7, MINUTES)];

    expect(again).toEqual(once);
  });
});
