import { describe, expect, it } from 'vitest';
import type { RunContractsPorts } from '#functions/run-contracts/ports.ts';
import { RuleAlert } from '#shared/domain/alerting/alert.ts';
import { lookBackOf, seriesOfWatch, type Watch } from '#shared/domain/evaluation/watch.ts';
import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { PUNKS } from '#test/support/builders.ts';
import { thirdOf } from '#test/support/extent.ts';
import { pollOnce } from '#test/support/poll-once.ts';
import { anyMarket, anyRule, HOURS, tell } from '#test/support/random-market.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';
import { createWorld } from '#test/support/world.ts';

const LIST = { tenant: 'acme', list: 'random' };
type Disturbance = {
  /** Evaluates every watch in each evaluation, not only those that the threshold indexes find. */
  readonly withoutThresholdIndexes?: boolean;
  /** One in this number of evaluations is interrupted before its checkpoint. */
  readonly cutOneOf?: number;
};

type Life = {
  readonly alerts: readonly RuleAlert[];
  readonly states: readonly string[];
  /**
   * The rules that use both floors and sales, and so treat a poll of both as a single observation.
   */
  readonly ofBoth: ReadonlySet<string>;
  /**
   * The rules with `for`, reminders or a window: they also change between two prices, with any
   * poll.
   */
  readonly timed: ReadonlySet<string>;
};

/**
 * Runs random rules over a market that is polled at a cadence, and returns their alerts and states.
 */
async function live(
  seed: number,
  isSteady: boolean,
  cadenceMinutes: number,
  { withoutThresholdIndexes = false, cutOneOf = 0 }: Disturbance = {},
): Promise<Life> {
  const random = createSeededRandom(seed);
  const world = createWorld({ cadenceMinutes });
  const start = world.now();
  const market = anyMarket(random, start, isSteady);
  const rules = Array.from({ length: 24 }, (_, index) => anyRule(random, index, isSteady));
  await world.putList({ id: LIST.list, name: 'Random', contracts: [PUNKS], rules: rules as never });
  await world.drain();
  tell(world, market);

  const said = new Map<string, RuleAlert>();
  const chance = createSeededRandom(seed + 1);
  let isCut = false;
  const real = world.runContractsPorts();
  let isAsked = false;
  const ports: RunContractsPorts = {
    ...real,
    sendToChannels: async () => {},
    putContract: async (record) => {
      const before = await real.getContract(record.contract);
      const isCheckpoint = record.timeline.steps.length < (before?.timeline.steps.length ?? 0);
      if (isCut && isCheckpoint) throw new Error('cut');
      return await real.putContract(record);
    },
    commitWatch: async (transition) => {
      for (const { alert } of transition.posted) {
        const known = said.get(alert.id);
        if (known !== undefined) throw new Error(`${alert.id} was reported already`);
        said.set(alert.id, RuleAlert.parse(alert));
      }
      return await real.commitWatch(transition);
    },
    watchesReached: async (indexRange, after) => {
      if (!withoutThresholdIndexes) return await real.watchesReached(indexRange, after);
      if (isAsked) return { entries: [] };
      isAsked = true;
      return { entries: await world.stores.watches.ofList(LIST, PUNKS) };
    },
  };
  // The first poll must start after the rules are written.
  world.pass(1);
  for (let minute = 0; minute < HOURS * 60; minute += cadenceMinutes) {
    isCut = cutOneOf > 0 && chance.below(cutOneOf) === 0;
    isAsked = false;
    try {
      await pollOnce(world, { cadenceMinutes, runPorts: ports });
    } catch (error) {
      if (!isCut) throw error;
    }
    world.pass(cadenceMinutes * MINUTE);
  }
  expect(world.reports.filter(({ event }) => event === 'watch_evaluation_failed')).toEqual([]);
  const watches = await world.stores.watches.ofList(LIST, PUNKS);
  return {
    alerts: [...said.values()],
    states: watches.map(({ rule, state, episode }) => `${rule} ${state} ${episode}`),
    ofBoth: new Set(
      watches.filter((watch) => seriesOfWatch(watch).length > 1).map(({ rule }) => rule),
    ),
    timed: new Set(watches.filter(isTimed).map(({ rule }) => rule)),
  };
}

function isTimed(watch: Watch): boolean {
  const { ruleCondition, repeatPolicy } = watch;
  const waits = [ruleCondition.for, ruleCondition.keepFor, repeatPolicy.reminder];
  return lookBackOf(watch) > 0 || waits.some((wait) => wait !== undefined);
}

/** The alerts and states of a run, without those of the given rules. */
function without(rules: ReadonlySet<string>, life: Life): Life {
  return {
    ...life,
    alerts: life.alerts.filter(({ rule }) => !rules.has(rule)),
    states: life.states.filter((state) => !rules.has(state.split(' ', 1).join(''))),
  };
}

/** The alerts of each rule in order, without the members that depend on the time of evaluation. */
function storyOf({ alerts }: Life, until: Instant): readonly string[] {
  return alerts
    .filter(({ dataTime }) => Date.parse(dataTime) <= until)
    .toSorted((a, b) => (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0))
    .map(({ rule, kind, dataTime, value, id }) => `${rule} ${dataTime} ${kind} ${value} ${id}`);
}

const END = Date.parse('2026-01-05T12:00:00Z') + (HOURS - 1) * HOUR;

describe.each(thirdOf([1, 2, 4, 6, 7, 8]))('random rules (seed %d)', (seed) => {
  it.each([
    [true, 5],
    [true, 60],
    [false, 5],
    [false, 60],
  ])(
    'the threshold indexes miss no evaluation that changes a random rule (steady: %s, every %d minutes)',
    async (isSteady, cadence) => {
      const life = await live(seed, isSteady, cadence);
      const evaluatedAlways = await live(seed, isSteady, cadence, {
        withoutThresholdIndexes: true,
      });

      expect(life.alerts.length).toBeGreaterThan(10);
      expect(storyOf(life, END)).toEqual(storyOf(evaluatedAlways, END));
      expect(life.states).toEqual(evaluatedAlways.states);
    },
  );

  it('random rules without a timer send the same alerts at every cadence', async () => {
    const [often, rarely] = [await live(seed, true, 5), await live(seed, true, 60)];

    const left = new Set([...often.ofBoth, ...often.timed]);
    const [reported, expected] = [without(left, rarely), without(left, often)];
    expect(expected.alerts.length).toBeGreaterThan(0);
    expect(storyOf(reported, END)).toEqual(storyOf(expected, END));
  });

  it('random rules send the same alerts and ids if evaluations are interrupted before their checkpoint', async () => {
    const [undisturbed, cut] = [
      await live(seed, true, 10),
      await live(seed, true, 10, { cutOneOf: 3 }),
    ];

    expect(storyOf(cut, END)).toEqual(storyOf(undisturbed, END));
  });

  it('random rules fire once in an episode, and recover before the next one', async () => {
    const { alerts } = await live(seed, false, 15);

    const episodes = alerts.filter(({ episode }) => episode !== null);
    for (const { rule } of episodes) {
      const kinds = episodes
        .filter((alert) => alert.rule === rule && ['fired', 'recovered'].includes(alert.kind))
        .map(({ kind, episode }) => `${kind} ${episode}`);
      expect(kinds).toEqual(
        kinds.map((_, index) => `${index % 2 === 0 ? 'fired' : 'recovered'} ${1 + (index >> 1)}`),
      );
    }
  });
});
