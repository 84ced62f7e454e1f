import { describe, expect, it } from 'vitest';
import { simulate } from './world.ts';

const MINUTES = 40;
const SEEDS = Array.from({ length: 64 }, (_, index) => index + 1);

/** What a run must have met, or it has proven nothing of it. */
const INTERESTING = [
  'age said: fired',
  'age said: fresh',
  'age said: recovered',
  'age said: stale',
  'alert: channel_off',
  'alert: expired',
  'alert: fired',
  'alert: recovered',
  'alert: reminder',
  'alert: summary',
  'alert: worsened',
  'all said: fired',
  'all said: recovered',
  'change said: fired',
  'change said: recovered',
  'crash at put',
  'crash at get',
  'crash at query',
  'crash at send',
  'crash at publish',
  'crash at upstream',
  'dead letter',
  'delivery',
  'digest',
  'discount said: fired',
  'drawdown said: fired',
  'freeze',
  'look_continued',
  'messageLost',
  'past filled',
  'redelivery',
  'redrive while faults last',
  'repeated message',
  'resumed view',
  'runup said: fired',
  'stale appointment',
  'tickMissed',
  'timeout',
  'upstreamRevises',
  'upstreamThrottles',
  'writeUnknown',
  'zombie',
  'zombie refused',
] as const;

describe('in a world in which everything goes wrong, and then nothing', () => {
  const met = new Set<string>();

  it.each(SEEDS)('nothing is lost, invented or told to others (seed %d)', async (seed) => {
    const outcome = await simulate(seed, MINUTES);

    expect(outcome.violations).toEqual([]);
    for (const [what, count] of Object.entries(outcome.met)) if (count > 0) met.add(what);
  });

  it('the seeds have met what is interesting', () => {
    expect(INTERESTING.filter((what) => !met.has(what))).toEqual([]);
  });

  it.each([2, 7, 32])('a seed is lived through in the same way again (seed %d)', async (seed) => {
    const [once, again] = [await simulate(seed, MINUTES), await simulate(seed, MINUTES)];

    expect(again).toEqual(once);
  });
});
