import { ONE } from '#shared/domain/market/decimal.ts';
import { DAY, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { FloorPoint, LowestTrade } from '#shared/domain/market/upstream.ts';
import { type Metric, needsCost } from '#shared/domain/metrics/metric.ts';
import { isThresholdOf, metricsWithin, usualOf } from './rule-metrics.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { World } from './world.ts';

/** The duration of a random market. */
export const HOURS = 40;

/**
 * Windows are limited, because ten hours of prices precede the watches. Metrics that need a holding
 * are excluded.
 */
const METRICS = metricsWithin(6 * HOUR).filter((family) => !family.some(needsCost));

type Clause = { readonly metric: Metric; readonly when: string; readonly [member: string]: string };

const tenth = (random: SeededRandom, from: number, to: number) =>
  String((from + random.below(to - from)) / 10);

/** A condition with a threshold or a band that the random prices reach. */
function anyClause(random: SeededRandom): Clause {
  const metric = random.pick(random.pick(METRICS));
  const { from, to } = usualOf(metric, 60, 1000);
  const number = () => tenth(random, Math.round(from * 10), Math.round(to * 10));
  const when = random.pick(['below', 'above', 'below', 'above', 'outside', 'inside']);
  if (when === 'below' || when === 'above') return { metric, when, threshold: number() };
  const low = number();
  return { metric, when, low, high: (Number(low) + 0.1 + random.below(40) / 10).toFixed(1) };
}

/** A rule with thresholds that the random market reaches. */
export function anyRule(random: SeededRandom, index: number, isSteady: boolean) {
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
  // An evaluation reports at most one step, so the number of step alerts depends on the
  // evaluations.
  const away = (when === 'below' ? 1 : -1) * (0.1 + random.below(20) / 10);
  const recover = (Number(threshold) + away).toFixed(1);
  return isThresholdOf(metric, recover)
    ? { id, ...clause, recover, ...(isSteady ? timing : { steps: '2' }) }
    : { id, ...clause, ...timing };
}

/** A fact of the market, and the time from which the provider reports it. */
type Reported<Fact> = { readonly from: Instant; readonly fact: Fact };
export type Market = {
  readonly floors: readonly Reported<FloorPoint>[];
  readonly trades: readonly Reported<LowestTrade>[];
};

/**
 * Floors and trades as a random walk; an unsteady provider also reports some late, and revises
 * some.
 */
export function anyMarket(random: SeededRandom, start: Instant, isSteady: boolean): Market {
  const floors: Reported<FloorPoint>[] = [];
  let price = 600;
  for (let time = start - 10 * HOUR; time < start + (HOURS - 2) * HOUR; ) {
    price = Math.max(500, Math.min(700, price + random.below(31) - 15));
    const inEth = (BigInt(price) * ONE) / 10n;
    // Other currencies and missing dollar prices begin after an hour, because a watch must start
    // with a value that it can evaluate.
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
  // Steady trades happen every seven hours, early in an hour, so that a poll at any cadence detects
  // each of them.
  const trades: Reported<LowestTrade>[] = [];
  for (let time = start - DAY; time < start + HOURS * HOUR; time += 7 * HOUR) {
    const tradedAt = time + (1 + random.below(isSteady ? 25 : 200)) * MINUTE;
    const sold = (BigInt(480 + random.below(100)) * ONE) / 10n;
    if (isSteady || random.below(3) > 0) {
      trades.push({ from: tradedAt, fact: { time: tradedAt, price: sold, tokenIds: ['1'] } });
    }
  }
  return { floors, trades };
}

/** Makes the provider of a world answer with all facts up to the time of the request. */
export function tell(world: World, market: Market, known = (now: Instant) => now): void {
  world.answers.floor = (_contract, asked) => {
    const now = known(asked);
    const reported = new Map(
      market.floors.filter(({ from }) => from <= now).map(({ fact }) => [fact.time, fact]),
    );
    return { kind: 'ok', value: [...reported.values()] };
  };
  world.answers.lowest = (_contract, _days, asked) => {
    const now = known(asked);
    const left = market.trades
      .filter(({ from, fact }) => from <= now && fact.time > now - DAY)
      .map(({ fact }) => fact)
      .toSorted((a, b) => (a.price < b.price ? -1 : 1));
    return left[0] === undefined ? { kind: 'empty' } : { kind: 'ok', value: left[0] };
  };
}
