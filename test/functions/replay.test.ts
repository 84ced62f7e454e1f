import { describe, expect, it } from 'vitest';
import type { RunContractsPorts } from '#functions/run-contracts/ports.ts';
import { RuleAlert } from '#shared/domain/alerting/alert.ts';
import {
  type ReportedPast,
  replayWatch,
  reportedPast,
} from '#shared/domain/evaluation/replay-watch.ts';
import { nextTimer } from '#shared/domain/evaluation/watch.ts';
import { DAY, earliest, HOUR, type Instant } from '#shared/domain/market/instant.ts';
import { WINDOWS } from '#shared/domain/metrics/family.ts';
import { isContinuous } from '#shared/domain/metrics/metric.ts';
import { AlertRule, clausesOf } from '#shared/domain/rules/alert-rule.ts';
import { applyList } from '#shared/domain/watchlists/apply-list.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { PUNKS } from '#test/support/builders.ts';
import { casesOf } from '#test/support/extent.ts';
import { pollOnce } from '#test/support/poll-once.ts';
import { anyMarket, anyRule, HOURS, type Market, tell } from '#test/support/random-market.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';
import { createWorld, type World } from '#test/support/world.ts';

const LIST = { tenant: 'acme', list: 'random' };
const BOUNDS = { evaluations: 100_000, alerts: 100_000 };

/** The times at which a provider without any delay reports a new price. */
function momentsOf({ floors, trades }: Market, from: Instant, to: Instant): readonly Instant[] {
  const moments = [
    ...floors.map(({ fact }) => fact.time),
    // The times at which a floor leaves a window.
    ...Object.values(WINDOWS).flatMap((window) => floors.map(({ fact }) => fact.time + window)),
    ...trades.flatMap(({ fact }) => [fact.time, fact.time + DAY]),
    to,
  ];
  return [...new Set(moments)]
    .filter((time) => time > from && time <= to)
    .toSorted((a, b) => a - b);
}

/** Polls at these times and at each timer. Returns the alerts of the watches. */
async function live(world: World, moments: readonly Instant[]): Promise<readonly RuleAlert[]> {
  const said: RuleAlert[] = [];
  const real = world.runContractsPorts();
  const ports: RunContractsPorts = {
    ...real,
    sendToChannels: async () => {},
    commitWatch: async (transition) => {
      said.push(...transition.posted.map(({ alert }) => RuleAlert.parse(alert)));
      return await real.commitWatch(transition);
    },
  };
  const left = [...moments];
  for (;;) {
    const watches = await world.stores.watches.ofList(LIST, PUNKS);
    const timers = watches.flatMap((watch) => [nextTimer(watch), watch.expiresAt]);
    const coming = timers.filter((timer) => timer !== undefined && timer > world.now());
    const moment = earliest([left[0], ...coming]);
    if (moment === undefined || left[0] === undefined) return said;
    if (moment === left[0]) left.shift();
    world.pass(moment - world.now());
    // The minutes between two moments are skipped. The cadence is so long that no alert after
    // skipped minutes is marked as late.
    await pollOnce(world, { cadenceMinutes: 10_000, runPorts: ports });
  }
}

/** The recorded floors and lowest sales up to a time. */
async function pastIn(world: World, until: Instant): Promise<ReportedPast> {
  const { newest } = createHistoryStore(world.table);
  const span = { from: 0, to: until, each: 'point' as const, limit: 10_000 };
  const series = (['floor', 'lowest.1d'] as const).map(async (name) => {
    const recorded = await newest(PUNKS, name, span);
    return [name, reportedPast(name, recorded.toReversed(), until)] as const;
  });
  return new Map(await Promise.all(series));
}

const byNumber = ({ id: one }: RuleAlert, { id: other }: RuleAlert) =>
  one.localeCompare(other, 'en', { numeric: true });

/**
 * An alert without `at` and `late`, which a replay does not reproduce. An alert of the first
 * evaluation also loses its previous value and texts, because a replay starts without an earlier
 * price.
 */
function comparable({ at: _at, late: _late, ...alert }: RuleAlert, from: Instant) {
  if (Date.parse(alert.dataTime) > from) return alert;
  return { ...alert, previous: null, title: null, facts: null };
}

/**
 * Whether a rule reads an average, which may recover between two of these polls. Examples are in
 * replay-watch.test.ts.
 */
function readsAverage(rule: object): boolean {
  return clausesOf(AlertRule.parse(rule)).some(({ metric }) => isContinuous(metric));
}

describe.each(casesOf([1, 2, 3, 4, 5, 19], 1))('the replay of random rules (seed %d)', (seed) => {
  it('the replay of random rules returns the same alerts as live polls, with the same ids', async () => {
    const random = createSeededRandom(seed);
    const world = createWorld({ cadenceMinutes: 5 });
    const start = world.now();
    const [from, to] = [start + 1, start + (HOURS - 3) * HOUR];
    const market = anyMarket(random, start, true);
    tell(world, market);
    const rules = Array.from({ length: 30 }, (_, index) =>
      anyRule(random, index, index % 2 === 0),
    ).filter((rule) => !readsAverage(rule));
    const body = { id: 'random', name: 'Random', contracts: [PUNKS], rules: rules as never };
    await world.putList(body);
    await world.drain();

    const lived = await live(world, [from, ...momentsOf(market, from, to)]);

    const list = await world.stores.watchlists.get({ tenant: 'acme', id: 'random' });
    if (list === undefined) throw new Error('no list');
    const past = await pastIn(world, to);
    const replayed = applyList(list, PUNKS, [], start).flatMap(
      ({ watch }) => replayWatch(watch, past, { from, to }, BOUNDS).alerts,
    );
    const sent = (alerts: readonly RuleAlert[]) =>
      alerts.toSorted(byNumber).map((alert) => comparable(alert, from));
    expect(sent(replayed)).toEqual(sent(lived));
    expect(lived.length).toBeGreaterThan(10);
  });
});
