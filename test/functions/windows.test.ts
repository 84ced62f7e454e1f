import { describe, expect, it } from 'vitest';
import { type Decimal, formatDecimal, ONE } from '#shared/domain/market/decimal.ts';
import { DAY, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { FloorPoint } from '#shared/domain/market/upstream.ts';
import { eth, PUNKS } from '#test/support/builders.ts';
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
  let beyondSince: Instant | undefined;
  let isFiring = false;
  const say = (kind: string, time: Instant) => {
    said.push(`${(time - start) / MINUTE} ${kind} ${formatDecimal(valueAt(rule, series, time))}`);
  };
  const [, held = 0] = rule.for ?? [];
  for (const time of [...new Set(instants)].toSorted((a, b) => a - b)) {
    const ripe = beyondSince === undefined ? undefined : beyondSince + held;
    if (!isFiring && ripe !== undefined && ripe < time) {
      isFiring = true;
      say('fired', ripe);
    }
    const value = valueAt(rule, series, time);
    if (isFiring) {
      if (!hasRecovered(rule, value)) continue;
      isFiring = false;
      beyondSince = undefined;
      say('recovered', time);
    } else if (!isBeyond(rule, value)) {
      beyondSince = undefined;
    } else {
      beyondSince ??= time;
      if (beyondSince + held > time) continue;
      isFiring = true;
      say('fired', time);
    }
  }
  return said;
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

const written = ({ id, kind, window, when, threshold, recover, for: held }: Rule) => ({
  id,
  metric: `${METRICS[kind]}.${window[0]}`,
  when,
  threshold,
  ...(recover === undefined ? {} : { recover }),
  ...(held === undefined ? {} : { for: held[0] }),
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

const toldOf = (world: World, rule: string, start: Instant) =>
  world.published
    .filter(({ sink, alert }) => sink === 'stack-topic' && alert.rule === rule)
    .map(({ alert: { dataTime, kind, value } }) => {
      return `${(Date.parse(dataTime) - start) / MINUTE} ${kind} ${value}`;
    });

describe.each([1, 2, 3, 4])('windows over floors that walk at random (seed %d)', (seed) => {
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

      const answered = (await world.stores.contracts.get(PUNKS))?.slides?.until ?? end;
      for (const rule of RULES) {
        expect([rule.id, ...toldOf(world, rule.id, start)]).toEqual([
          rule.id,
          ...naively(rule, series, start, answered),
        ]);
      }
      expect(world.published.length).toBeGreaterThan(20);
    },
  );
});
