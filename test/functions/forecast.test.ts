import { describe, expect, it } from 'vitest';
import { type Forecast, forecastOf } from '#shared/domain/evaluation/forecast.ts';
import {
  isEpisodeOpen,
  nextTimer,
  type Watch,
  watchPath,
} from '#shared/domain/evaluation/watch.ts';
import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { readSnapshot } from '#shared/use-cases/read-snapshot.ts';
import { PUNKS } from '#test/support/builders.ts';
import { casesOf } from '#test/support/extent.ts';
import { pollOnce } from '#test/support/poll-once.ts';
import { anyMarket, anyRule, tell } from '#test/support/random-market.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';
import { createWorld, type World } from '#test/support/world.ts';

const CADENCE = 30;

/** Polls the provider once, and runs all due work. */
async function poll(world: World): Promise<void> {
  await pollOnce(world, { cadenceMinutes: CADENCE });
}

async function watchesOf(world: World): Promise<readonly Watch[]> {
  const lists = ['old', 'new'].map((list) =>
    world.stores.watches.ofList({ tenant: 'acme', list }, PUNKS),
  );
  return (await Promise.all(lists)).flat();
}

async function forecasts(world: World): Promise<ReadonlyMap<string, Forecast & { before: Watch }>> {
  const record = await world.stores.contracts.get(PUNKS);
  if (record === undefined) throw new Error('no contract');
  const { recordedSince } = world.runContractsPorts();
  const time = { now: world.now(), cadenceMinutes: CADENCE };
  const reported = (await watchesOf(world)).map(async (before) => {
    const snapshot = await readSnapshot(recordedSince, record, [before]);
    return [watchPath(before), { before, ...forecastOf(before, snapshot, time) }] as const;
  });
  return new Map(await Promise.all(reported));
}

/** The forecast codes that match the actual outcome for a watch. */
function outcomeOf(before: Watch, after: Watch): readonly Forecast['code'][] {
  switch (after.state) {
    case 'unknown':
      return ['first_answer', 'not_evaluated'];
    case 'ok': {
      if (isEpisodeOpen(before)) return ['recovers'];
      // An answer without a new price does not confirm the change.
      const met =
        after.ruleCondition.confirm === undefined ? 'waits_for_move' : 'must_be_confirmed';
      return ['rests', 'not_evaluated', met];
    }
    case 'disarmed':
      return ['waits_for_crossing'];
    case 'pending':
      return [after.recentSamples === undefined ? 'must_hold' : 'must_be_confirmed'];
    case 'firing':
      return [after.episode > before.episode ? 'fires' : 'firing'];
    case 'recovering':
    case 'ended':
      return [after.state];
  }
}

describe.each(casesOf([1, 2, 3, 4, 5], 1))('the forecast of random rules (seed %d)', (seed) => {
  it('the forecast of random rules is correct if the next answer contains no new price', async () => {
    const random = createSeededRandom(seed);
    const world = createWorld({ cadenceMinutes: CADENCE });
    const market = anyMarket(random, world.now(), true);
    let frozenAt: Instant | undefined;
    tell(world, market, (now) => frozenAt ?? now);
    const rules = (letter: string) =>
      Array.from({ length: 24 }, (_, index) => ({
        ...anyRule(random, index, true),
        id: `${letter}${index}`,
      })) as never;
    await world.putList({ id: 'old', name: 'Old', contracts: [PUNKS], rules: rules('a') });
    await world.drain();
    const seen = new Map<Forecast['code'], number>();

    for (let round = 0; round < 12; round += 1) {
      frozenAt = undefined;
      world.pass((1 + random.below(170)) * MINUTE);
      await poll(world);
      frozenAt = world.now();
      // Adds new rules, because without a new price only timers and windows change the existing
      // ones.
      await world.putList({
        id: 'new',
        name: 'New',
        contracts: [PUNKS],
        rules: rules(`n${round}`),
      });
      await world.drain();
      world.pass(1 + random.below(2 * HOUR));
      const reported = await forecasts(world);
      await poll(world);

      for (const after of await watchesOf(world)) {
        const forecast = reported.get(watchPath(after));
        if (forecast === undefined) throw new Error('a watch without a forecast');
        const { code, text, at, before } = forecast;
        expect(outcomeOf(before, after), `${watchPath(after)}: ${text}`).toContain(code);
        expect(at).toBe(nextTimer(after));
        seen.set(code, (seen.get(code) ?? 0) + 1);
      }
    }

    for (const code of ['rests', 'fires', 'must_hold', 'must_be_confirmed', 'firing'] as const) {
      expect(seen.get(code), code).toBeGreaterThan(0);
    }
  });
});
