import { describe, expect, it } from 'vitest';
import { judgeDueWatch } from '#functions/run-contracts/look-at-watches.ts';
import type { RunContractsPorts } from '#functions/run-contracts/ports.ts';
import { runContracts } from '#functions/run-contracts/run-contracts.ts';
import type { RuleAlert } from '#shared/domain/alerting/alert.ts';
import { ONE } from '#shared/domain/market/decimal.ts';
import { DAY, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { FloorPoint, LowestTrade } from '#shared/domain/market/upstream.ts';
import { partsOf } from '#shared/domain/polling/contract-record.ts';
import { nextInstant, type Watch } from '#shared/domain/watching/watch.ts';
import { PUNKS } from '#test/support/builders.ts';
import { createSeededRandom, type SeededRandom } from '#test/support/seeded-random.ts';
import { createWorld } from '#test/support/world.ts';

const LIST = { tenant: 'acme', list: 'random' };
const HOURS = 40;

type Clause = { readonly metric: string; readonly when: string; readonly [member: string]: string };

const tenth = (random: SeededRandom, from: number, to: number) =>
  String((from + random.below(to - from)) / 10);

/** A metric with a line or a band that the series below comes across. */
function anyClause(random: SeededRandom): Clause {
  const metric = random.pick([
    'floor_price',
    'floor_price_usd',
    'lowest_price.1d',
    'sale_discount_pct.1d',
    'floor_change_pct.1h',
    'floor_change_pct.6h',
    'floor_drawdown_pct.1h',
    'floor_drawdown_pct.6h',
    'floor_runup_pct.6h',
  ]);
  const number = (from = 0) => {
    if (metric === 'floor_price') return tenth(random, 560 + from, 640);
    if (metric === 'floor_price_usd') return tenth(random, 560_000 + from, 640_000);
    if (metric.startsWith('lowest')) return tenth(random, 480 + from, 580);
    if (metric.startsWith('floor_change')) return tenth(random, -60 + from, 60);
    return tenth(random, 10 + from, 150);
  };
  const when = random.pick(['below', 'above', 'below', 'above', 'outside', 'inside']);
  if (when === 'below' || when === 'above') return { metric, when, threshold: number() };
  const low = number();
  return { metric, when, low, high: String(Number(low) + 0.1 + random.below(40) / 10) };
}

function anyRule(random: SeededRandom, index: number, isSteady: boolean) {
  const id = `r${index}`;
  const timing = random.pick([
    {},
    {},
    {},
    { for: random.pick(['10m', '90m']) },
    { keepFor: random.pick(['10m', '90m']) },
    { confirm: { times: 2, of: random.pick([2, 3]) } },
    { arm: 'cross' },
    { for: '20m', keepFor: '30m' },
    { repeat: { reminder: '50m' } },
    { repeat: 'once' },
  ]);
  if (index === 0 || random.below(3) === 0) {
    const all = Array.from({ length: 2 + random.below(2) }, () => anyClause(random));
    return { id, all, ...timing };
  }
  const clause = anyClause(random);
  const { metric, when, threshold } = clause;
  if (random.below(8) === 0 && threshold !== undefined) {
    return { id, metric, when: 'crosses', threshold };
  }
  if (threshold === undefined || random.below(2) === 0) return { id, ...clause, ...timing };
  // At most one step is told a look, so what is told of steps is the looks' affair.
  const away = (when === 'below' ? 1 : -1) * (0.1 + random.below(20) / 10);
  const recover = Number(threshold) + away;
  return recover > 0 || metric.startsWith('floor_change')
    ? { id, ...clause, recover: recover.toFixed(1), ...(isSteady ? timing : { steps: '2' }) }
    : { id, ...clause, ...timing };
}

/** What the provider knows, and when it came to know it. */
type Told<Fact> = { readonly from: Instant; readonly fact: Fact };
type Market = {
  readonly floors: readonly Told<FloorPoint>[];
  readonly trades: readonly Told<LowestTrade>[];
};

/** Floors and trades that walk at random; where the provider is unsteady, late and revised ones. */
function anyMarket(random: SeededRandom, start: Instant, isSteady: boolean): Market {
  const floors: Told<FloorPoint>[] = [];
  let price = 600;
  for (let time = start - 10 * HOUR; time < start + (HOURS - 2) * HOUR; ) {
    price = Math.max(500, Math.min(700, price + random.below(31) - 15));
    const inEth = (BigInt(price) * ONE) / 10n;
    // Watches begin with what can be judged.
    const isOdd = time > start + HOUR;
    const hasNoUsd = isOdd && random.below(12) === 0;
    const fact: FloorPoint = {
      time,
      price: inEth,
      currency: isOdd && random.below(15) === 0 ? 'usdc' : 'eth',
      ...(hasNoUsd ? {} : { usd: inEth * 1000n }),
      marketplaces: [],
    };
    const delay = isSteady || time < start ? 0 : random.pick([0, 0, 5, 30, 90]) * MINUTE;
    floors.push({ from: time + delay, fact });
    if (!isSteady && time > start && random.below(6) === 0) {
      const revised = { ...fact, price: ((BigInt(price) - 40n) * ONE) / 10n };
      floors.push({ from: time + delay + random.below(40) * MINUTE, fact: revised });
    }
    time += (10 + random.below(150)) * MINUTE + random.pick([0, 0, 17_000]);
  }
  // Steady trades are told apart by every cadence: one in seven hours, in the first minutes of an hour.
  const trades: Told<LowestTrade>[] = [];
  for (let time = start - DAY; time < start + HOURS * HOUR; time += 7 * HOUR) {
    const tradedAt = time + (1 + random.below(isSteady ? 25 : 200)) * MINUTE;
    const sold = (BigInt(480 + random.below(100)) * ONE) / 10n;
    if (isSteady || random.below(3) > 0) {
      trades.push({ from: tradedAt, fact: { time: tradedAt, price: sold, tokenIds: ['1'] } });
    }
  }
  return { floors, trades };
}

type Disturbance = {
  /** Judges every watch at each look, whatever it waits for. */
  readonly withoutLadders?: boolean;
  /** Of how many looks one does not come to its checkpoint. */
  readonly cutOneOf?: number;
};

type Life = { readonly alerts: readonly RuleAlert[]; readonly states: readonly string[] };

/** Lets random rules live over a market that is polled at a cadence, and tells what they said. */
async function live(
  seed: number,
  isSteady: boolean,
  cadenceMinutes: number,
  { withoutLadders = false, cutOneOf = 0 }: Disturbance = {},
): Promise<Life> {
  const random = createSeededRandom(seed);
  const world = createWorld({ cadenceMinutes });
  const start = world.now();
  const market = anyMarket(random, start, isSteady);
  const rules = Array.from({ length: 24 }, (_, index) => anyRule(random, index, isSteady));
  await world.putList({ id: LIST.list, name: 'Random', contracts: [PUNKS], rules: rules as never });
  await world.drain();
  world.answers.floor = (_contract, now) => {
    const told = new Map(
      market.floors.filter(({ from }) => from <= now).map(({ fact }) => [fact.time, fact]),
    );
    return { kind: 'ok', value: [...told.values()] };
  };
  world.answers.lowest = (_contract, _days, now) => {
    const left = market.trades
      .filter(({ from, fact }) => from <= now && fact.time > now - DAY)
      .map(({ fact }) => fact)
      .toSorted((a, b) => (a.price < b.price ? -1 : 1));
    return left[0] === undefined ? { kind: 'empty' } : { kind: 'ok', value: left[0] };
  };

  const said = new Map<string, RuleAlert>();
  const chance = createSeededRandom(seed + 1);
  let isCut = false;
  const real = world.runContractsPorts();
  let isAsked = false;
  const ports: RunContractsPorts = {
    ...real,
    sendToLists: async () => {},
    putContract: async (record) => {
      const before = await real.getContract(record.contract);
      const isCheckpoint = record.unjudged.length < (before?.unjudged.length ?? 0);
      if (isCut && isCheckpoint) throw new Error('cut');
      return await real.putContract(record);
    },
    putWatch: async (watch: Watch) => {
      for (const alert of watch.outbox) {
        const known = said.get(alert.id);
        if (known !== undefined) throw new Error(`${alert.id} was told already`);
        said.set(alert.id, alert);
      }
      const { outboxDueAt: _due, ...rest } = watch;
      return await real.putWatch({ ...rest, outbox: [] });
    },
    watchesReached: async (reach, after) => {
      if (!withoutLadders) return await real.watchesReached(reach, after);
      if (isAsked) return { entries: [] };
      isAsked = true;
      return { entries: await real.watchesOfList(LIST, PUNKS) };
    },
  };
  const { signal } = new AbortController();
  // The first answer is asked for after the rules were written.
  world.pass(1);
  for (let minute = 0; minute < HOURS * 60; minute += cadenceMinutes) {
    const hint = await world.stores.contracts.get(PUNKS);
    if (hint === undefined) throw new Error('no contract');
    const parts = partsOf(hint).map(([part]) => part);
    isCut = cutOneOf > 0 && chance.below(cutOneOf) === 0;
    isAsked = false;
    try {
      await runContracts(
        ports,
        { kind: 'poll', contract: PUNKS, parts, hint, cadenceMinutes },
        signal,
      );
    } catch (error) {
      if (!isCut) throw error;
    }
    for (const watch of await world.stores.watches.ofList(LIST, PUNKS)) {
      const due = nextInstant(watch);
      if (due === undefined || due > world.now()) continue;
      const { tenant, list, rule } = watch;
      await judgeDueWatch(ports, {
        kind: 'judge',
        contract: PUNKS,
        tenant,
        list,
        rule,
        cadenceMinutes,
      });
    }
    world.pass(cadenceMinutes * MINUTE);
  }
  expect(world.reports.filter(({ event }) => event === 'watch_judgement_failed')).toEqual([]);
  const watches = await world.stores.watches.ofList(LIST, PUNKS);
  return {
    alerts: [...said.values()],
    states: watches.map(({ rule, state, episode }) => `${rule} ${state} ${episode}`),
  };
}

/** What was said of each rule, in order, with what does not depend on when it was found out. */
function storyOf({ alerts }: Life, until: Instant): readonly string[] {
  return alerts
    .filter(({ dataTime }) => Date.parse(dataTime) <= until)
    .toSorted((a, b) => (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0))
    .map(({ rule, kind, dataTime, value, id }) => `${rule} ${dataTime} ${kind} ${value} ${id}`);
}

const timelessStoryOf = (life: Life, until: Instant) =>
  storyOf(life, until).map((line) => line.replace(/ [\d-]+T[\d:.]+Z /, ' '));

const END = Date.parse('2026-01-05T12:00:00Z') + (HOURS - 1) * HOUR;

describe.each([1, 2, 3])('random rules (seed %d)', (seed) => {
  it.each([
    [true, 5],
    [true, 60],
    [false, 5],
    [false, 60],
  ])(
    'are reached when they would move (steady: %s, every %d minutes)',
    async (isSteady, cadence) => {
      const life = await live(seed, isSteady, cadence);
      const judgedAlways = await live(seed, isSteady, cadence, { withoutLadders: true });

      expect(life.alerts.length).toBeGreaterThan(10);
      // What came late is judged by the time up to which a watch was judged, and so by its reads.
      const told = isSteady ? storyOf : timelessStoryOf;
      expect(told(life, END)).toEqual(told(judgedAlways, END));
      expect(life.states).toEqual(judgedAlways.states);
    },
  );

  it('say the same however the data fall into looks', async () => {
    const [often, rarely] = [await live(seed, true, 5), await live(seed, true, 60)];

    expect(storyOf(rarely, END)).toEqual(storyOf(often, END));
  });

  it('say the same, under the same ids, when looks are cut before their checkpoint', async () => {
    const [undisturbed, cut] = [
      await live(seed, true, 10),
      await live(seed, true, 10, { cutOneOf: 3 }),
    ];

    expect(storyOf(cut, END)).toEqual(storyOf(undisturbed, END));
  });

  it('fire at most once in an episode, and recover from each before the next', async () => {
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
