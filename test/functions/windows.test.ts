import { describe, expect, it } from 'vitest';
import { type Decimal, formatDecimal, ONE } from '#shared/domain/market/decimal.ts';
import { DAY, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { FloorPoint } from '#shared/domain/market/upstream.ts';
import { eth, PUNKS } from '#test/support/builders.ts';
import { casesOf } from '#test/support/extent.ts';
import { createSeededRandom, type SeededRandom } from '#test/support/seeded-random.ts';
import { createWorld, type World } from '#test/support/world.ts';

type Series = readonly { readonly time: Instant; readonly price: Decimal }[];
type Kind = 'change' | 'drawdown' | 'runup';
type Rule = {
  readonly id: string;
  readonly kind: Kind;
  readonly window: readonly [name: string, milliseconds: number];
  readonly when: 'below' | 'above';
  readonly threshold: string;
  readonly recover?: string;
  readonly for?: readonly [name: string, milliseconds: number];
  /** An hour, where nothing is said. */
  readonly keepFor?: readonly [name: string, milliseconds: number];
};

const RULES: readonly Rule[] = [
  { id: 'fall-1h', kind: 'change', window: ['1h', HOUR], when: 'below', threshold: '-4' },
  { id: 'rise-6h', kind: 'change', window: ['6h', 6 * HOUR], when: 'above', threshold: '8' },
  {
    id: 'fall-24h',
    kind: 'change',
    window: ['24h', DAY],
    when: 'below',
    threshold: '-6',
    recover: '0',
    keepFor: ['1m', MINUTE],
  },
  {
    id: 'down-6h',
    kind: 'drawdown',
    window: ['6h', 6 * HOUR],
    when: 'above',
    threshold: '7',
    recover: '2',
  },
  { id: 'down-24h', kind: 'drawdown', window: ['24h', DAY], when: 'above', threshold: '12' },
  { id: 'up-24h', kind: 'runup', window: ['24h', DAY], when: 'above', threshold: '10' },
  {
    id: 'down-held',
    kind: 'drawdown',
    window: ['6h', 6 * HOUR],
    when: 'above',
    threshold: '6',
    for: ['90m', 90 * MINUTE],
  },
];

/** What is expected, worked out from the whole series by the definitions alone. */
function naively(rule: Rule, series: Series, start: Instant, end: Instant): readonly string[] {
  const instants = series
    .flatMap(({ time }) => [time, ...RULES.map(({ window: [, span] }) => time + span)])
    .filter((time) => time > start && time <= end);
  const said: string[] = [];
  const [, held = 0] = rule.for ?? [];
  const [, kept = HOUR] = rule.keepFor ?? [];
  let beyondSince: Instant | undefined;
  let backSince: Instant | undefined;
  let isFiring = false;
  const say = (kind: string, time: Instant) => {
    said.push(`${(time - start) / MINUTE} ${kind} ${formatDecimal(valueAt(rule, series, time))}`);
  };
  const ripen = (until: Instant) => {
    if (!isFiring && beyondSince !== undefined && beyondSince + held <= until) {
      say('fired', beyondSince + held);
      [isFiring, beyondSince] = [true, undefined];
    }
    if (isFiring && backSince !== undefined && backSince + kept <= until) {
      say('recovered', backSince + kept);
      [isFiring, backSince] = [false, undefined];
    }
  };
  for (const time of [...new Set(instants)].toSorted((a, b) => a - b)) {
    ripen(time - 1);
    const value = valueAt(rule, series, time);
    if (isFiring) {
      backSince = hasRecovered(rule, value) ? (backSince ?? time) : undefined;
    } else if (!isBeyond(rule, value)) {
      beyondSince = undefined;
    } else if (hasMovedAt(series, time)) {
      beyondSince ??= time;
    }
    ripen(time);
  }
  return said;
}

/** A window that moves past an older price is no event: it takes another price. */
function hasMovedAt(series: Series, time: Instant): boolean {
  const index = series.findIndex((point) => point.time === time);
  return index >= 0 && series[index]?.price !== series[index - 1]?.price;
}

function valueAt({ kind, window: [, span] }: Rule, series: Series, time: Instant): Decimal {
  const known = series.filter((point) => point.time <= time);
  const now = known.at(-1)?.price ?? 0n;
  const held = known.filter((point) => point.time <= time - span).at(-1);
  const within = known.filter((point) => point.time > time - span).map(({ price }) => price);
  const prices = held === undefined ? within : [held.price, ...within];
  if (kind === 'change') return held === undefined ? 0n : percent(now - held.price, held.price);
  const sorted = prices.toSorted((a, b) => (a < b ? -1 : 1));
  const [least = 1n, most = 1n] = [sorted[0], sorted.at(-1)];
  return kind === 'drawdown' ? percent(most - now, most) : percent(now - least, least);
}

const percent = (part: Decimal, whole: Decimal) => (part * 100n * ONE) / whole;
const isBeyond = ({ when, threshold }: Rule, value: Decimal) =>
  when === 'below' ? value <= eth(threshold) : value >= eth(threshold);
const hasRecovered = (rule: Rule, value: Decimal) => {
  if (rule.recover === undefined) return !isBeyond(rule, value);
  return rule.when === 'below' ? value >= eth(rule.recover) : value <= eth(rule.recover);
};

/** Three quiet days, then prices that walk at random. */
function anySeries(random: SeededRandom, start: Instant, end: Instant): Series {
  const points = Array.from({ length: 72 }, (_, hour) => ({
    time: start - (72 - hour) * HOUR,
    price: eth('60'),
  }));
  let time = start + HOUR;
  let price = 600;
  while (time < end) {
    price = Math.max(300, price + random.below(61) - 30);
    points.push({ time, price: (BigInt(price) * ONE) / 10n });
    time += (20 + random.below(100)) * MINUTE + random.pick([0, 0, 17_000]);
  }
  return points;
}

const METRICS = {
  change: 'floor_change_pct',
  drawdown: 'floor_drawdown_pct',
  runup: 'floor_runup_pct',
} as const;

const written = ({ id, kind, window, when, threshold, recover, for: held, keepFor }: Rule) => ({
  id,
  metric: `${METRICS[kind]}.${window[0]}`,
  when,
  threshold,
  ...(recover === undefined ? {} : { recover }),
  ...(held === undefined ? {} : { for: held[0] }),
  ...(keepFor === undefined ? {} : { keepFor: keepFor[0] }),
});

function showing(world: World, series: Series): void {
  const points = series.map(
    (point): FloorPoint => ({ ...point, currency: 'eth', marketplaces: ['opensea'] }),
  );
  world.answers.floor = (_contract, now) => ({
    kind: 'ok',
    value: points.filter(({ time }) => time <= now).toReversed(),
  });
}

const dueOf = (world: World, rule: string, start: Instant) =>
  world.published
    .filter(({ destinationId, alert }) => destinationId === 'stack-topic' && alert.rule === rule)
    .map(({ alert: { dataTime, kind, value } }) => {
      return `${(Date.parse(dataTime) - start) / MINUTE} ${kind} ${value}`;
    });

describe.each(casesOf([1, 2, 3, 4], 1))(
  'windows over floors that walk at random (seed %d)',
  (seed) => {
    const hours = 60;

    it.each([5, 20, 360])(
      'say what the definitions say, at a cadence of %d minutes',
      async (cadenceMinutes) => {
        const world = createWorld({ cadenceMinutes });
        const start = world.now();
        const end = start + hours * HOUR;
        const series = anySeries(createSeededRandom(seed), start, end - 8 * HOUR);
        showing(world, series);
        await world.putList({
          id: 'moves',
          name: 'Moves',
          contracts: [PUNKS],
          rules: RULES.map(written),
        });

        while (world.now() < end) await world.tick();

        const answered = (await world.stores.contracts.get(PUNKS))?.windowExpiries?.until ?? end;
        for (const rule of RULES) {
          expect([rule.id, ...dueOf(world, rule.id, start)]).toEqual([
            rule.id,
            ...naively(rule, series, start, answered),
          ]);
        }
        expect(world.published.length).toBeGreaterThan(20);
      },
    );
  },
);

describe('a percentage moves with what it is measured against', () => {
  const hour = (world: World, minute: number) => world.now() - 2 * HOUR + minute * MINUTE;
  const swinging = (world: World): Series =>
    Array.from({ length: 24 }, (_, index) => ({
      time: hour(world, index * 5),
      price: eth(index % 2 === 0 ? '64' : '60'),
    }));
  const rule = { id: 'up', metric: 'floor_change_pct.1h', when: 'above', threshold: '3' } as const;

  it.each([{ rule }, { rule: { ...rule, when: 'crosses' as const } }])(
    'while the floor stands still nothing is said, however its window moves ($rule.when)',
    async ({ rule: written }) => {
      const world = createWorld({ cadenceMinutes: 1 });
      const start = world.now();
      showing(world, [...swinging(world), { time: start - MINUTE, price: eth('62') }]);
      await world.putList({ id: 'up', name: 'Up', contracts: [PUNKS], rules: [written] });

      while (world.now() < start + 3 * HOUR) await world.tick();

      expect(dueOf(world, 'up', start)).toEqual([]);
    },
  );

  it('a fire and what comes back within the hour are one event', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    const flapping = Array.from({ length: 12 }, (_, index) => ({
      time: start + (10 + index * 5) * MINUTE,
      price: eth(index % 2 === 0 ? '66' : '61'),
    }));
    showing(world, [{ time: start - 3 * HOUR, price: eth('60') }, ...flapping]);
    await world.putList({ id: 'up', name: 'Up', contracts: [PUNKS], rules: [rule] });

    while (world.now() < start + 4 * HOUR) await world.tick();

    expect(dueOf(world, 'up', start)).toEqual(['10 fired 10', '125 recovered 0']);
  });

  it('the value before is by what was in the window then, though a point leaves it with the news', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    const time = start + 10 * MINUTE;
    showing(world, [
      { time: time - 2 * HOUR, price: eth('80') },
      { time: time - HOUR, price: eth('66') },
      { time: time - 30 * MINUTE, price: eth('64') },
      { time, price: eth('60') },
    ]);
    world.pass(11 * MINUTE);
    const drawdown = { id: 'down', metric: 'floor_drawdown_pct.1h', when: 'above', threshold: '5' };
    await world.putList({
      id: 'down',
      name: 'Down',
      contracts: [PUNKS],
      rules: [drawdown as never],
    });

    while (world.now() < start + 20 * MINUTE) await world.tick();

    const mailed = world.published.filter(({ destinationId }) => destinationId === 'stack-topic');
    expect(mailed.map(({ alert }) => alert)).toMatchObject([
      { kind: 'fired', value: '9.090909090909090909', previous: '20' },
    ]);
  });

  it('of a trait fills as floors come, and its quiet polls write nothing', async () => {
    const ofTrait = `${PUNKS}?Fur=Gold` as const;
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    const priceAt = (now: Instant) => (now < start + 20 * MINUTE ? '20' : '18');
    world.answers.floor = (_contract, now) => {
      const price = eth(priceAt(now));
      const time = now < start + 20 * MINUTE ? start : start + 20 * MINUTE;
      const points = [{ time, price, currency: 'eth', marketplaces: [] }];
      return { kind: 'ok', value: { points, isCut: true } };
    };
    const rule = { id: 'it', metric: 'floor_drawdown_pct.1h', when: 'above', threshold: '9' };
    await world.putList({
      ...{ id: 'gold', name: 'Gold', contracts: [ofTrait], rules: [rule as never] },
    });

    while (world.now() < start + 5 * MINUTE) await world.tick();
    const settled = await world.stores.contracts.get(ofTrait);
    while (world.now() < start + 15 * MINUTE) await world.tick();
    const later = await world.stores.contracts.get(ofTrait);
    while (world.now() < start + 25 * MINUTE) await world.tick();

    expect(later?.version).toBe(settled?.version);
    const sent = world.published.filter(({ destinationId }) => destinationId === 'stack-topic');
    expect(sent.map(({ alert }) => [alert.kind, alert.value])).toEqual([['fired', '10']]);
  });
});
