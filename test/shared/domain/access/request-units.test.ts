import { expect, it } from 'vitest';
import { takeUnits } from '#shared/domain/access/request-units.ts';
import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { NOON } from '#test/support/builders.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

/** Returns a function that takes units of a tenant with this limit. */
function aTenant(unitsPerMinute: number) {
  let used = { version: 0, usedUntil: 0 };
  return (units: number, now: Instant) => {
    const taken = takeUnits(used, units, unitsPerMinute, now);
    used = taken.used;
    return taken;
  };
}

it('lets a tenant use the units of a minute at once, and refills them evenly', () => {
  const take = aTenant(600);

  const taken = Array.from({ length: 61 }, () => take(10, NOON));

  expect(taken[0]).toMatchObject({ left: 590, allInSeconds: 1 });
  expect(taken[59]).toMatchObject({ left: 0, allInSeconds: 60 });
  expect(taken[59]?.enoughInSeconds).toBeUndefined();
  expect(taken[60]).toMatchObject({ left: 0, allInSeconds: 60, enoughInSeconds: 1 });
  expect(take(1, NOON + 100)).toMatchObject({ left: 0 });
  expect(take(10, NOON + 30 * SECOND)).toMatchObject({ left: 289, allInSeconds: 32 });
  expect(take(1, NOON + 10 * MINUTE)).toMatchObject({ left: 599, allInSeconds: 1 });
});

it('grants a rejected request once the reported number of seconds has passed, and charges nothing for the rejection', () => {
  const random = createSeededRandom(5);
  for (const unitsPerMinute of [1, 7, 60, 601, 90_000]) {
    const take = aTenant(unitsPerMinute);
    let now = NOON;
    for (let turn = 0; turn < 300; turn += 1) {
      now += random.below(SECOND);
      const units = 1 + random.below(Math.min(unitsPerMinute, 10));
      const { enoughInSeconds } = take(units, now);
      if (enoughInSeconds === undefined) continue;
      expect(enoughInSeconds).toBeGreaterThan(0);
      now += enoughInSeconds * SECOND;
      expect(take(units, now).enoughInSeconds).toBeUndefined();
    }
  }
});

it("grants at most two minutes' worth of units in any minute", () => {
  const random = createSeededRandom(6);
  const take = aTenant(60);
  const uses: { readonly at: Instant; readonly units: number }[] = [];
  let now = NOON;
  for (let turn = 0; turn < 2000; turn += 1) {
    now += random.below(random.pick([10, 100, 20_000]));
    const units = random.pick([1, 10]);
    if (take(units, now).enoughInSeconds === undefined) uses.push({ at: now, units });
  }

  const inMinutes = uses.map(({ at: start }) =>
    uses
      .filter(({ at }) => at >= start && at < start + MINUTE)
      .reduce((sum, { units }) => sum + units, 0),
  );
  expect(Math.max(...inMinutes)).toBeGreaterThan(60);
  expect(Math.max(...inMinutes)).toBeLessThanOrEqual(120);
});
