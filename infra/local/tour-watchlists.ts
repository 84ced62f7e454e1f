import { valuesIn } from '#shared/domain/evaluation/candidate-lines.ts';
import type { ReportedPast } from '#shared/domain/evaluation/replay-watch.ts';
import {
  type ContractKey,
  contractOf,
  nameWithTraits,
  ratioKey,
  withTraits,
} from '#shared/domain/market/contract.ts';
import { type Decimal, formatDecimal, ONE, readDecimal } from '#shared/domain/market/decimal.ts';
import { ratioName } from '#shared/domain/market/derived-key.ts';
import { derivedPrices } from '#shared/domain/market/derived-price.ts';
import { floorRatio } from '#shared/domain/market/floor-ratio.ts';
import { DAY, formatInstant, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { listValue } from '#shared/domain/market/list-value.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import type { Quantity } from '#shared/domain/metrics/measure.ts';
import { fixedUnit, type Metric, unitOfMetric } from '#shared/domain/metrics/metric.ts';
import { metricName } from '#shared/domain/metrics/value-text.ts';
import {
  crossedLine,
  type DemoFloor,
  type DemoRule,
  type DemoWatchlist,
  floorAt,
  floorRule,
  idFrom,
  priceOfFloor,
  rounded,
} from './demo-watchlists.ts';
import {
  type Floor,
  lowestTrade,
  type MarketContract,
  type MarketSource,
  priceOf,
} from './upstream/market-source.ts';
import { bestOfferPercent, statisticsAt } from './upstream/market-statistics.ts';

/**
 * The watchlists of the tour: rules on every kind of metric that fire within the hour, and rules
 * for every kind of message.
 */
export function tourWatchlists(market: MarketSource, from: Instant): readonly DemoWatchlist[] {
  return [
    metricsWatchlist(market, from),
    marketWatchlist(market, from),
    holdingsWatchlist(market, from),
    messagesWatchlist(market, from),
  ];
}

/** Each floor crosses its threshold within the hour. */
function metricsWatchlist(market: MarketSource, from: Instant): DemoWatchlist {
  const wholes = market.contracts();
  const contracts = [...wholes, ...wholes.slice(0, 1).flatMap((whole) => ofTraits(whole) ?? [])];
  return {
    id: 'demo',
    name: 'Simulated collections',
    contracts,
    rules: [
      ...contracts.map((member, index) => floorRule(market, member, DEMO_FLOORS[index], from)),
      ...lowestRules(market, wholes, from),
    ],
  };
}

/** Rules on one collection: on its sales, owners and offers, and on moves of its floor. */
function marketWatchlist(market: MarketSource, from: Instant): DemoWatchlist {
  const [whole] = market.contracts();
  const contracts = whole === undefined ? [] : [whole];
  const rules = contracts.flatMap(({ contract, name }) => {
    const reported = reportedOf(market, contract, from);
    return MARKET_METRICS.map((metric) => {
      const unit = unitOfMetric(metric, contractOf(contract).chain);
      const crossed = crossedBy({ metric, unit }, reported, from);
      const label = `${name}: ${metricName(metric)}`;
      return { id: idFrom(metric), on: contract, metric, ...crossed, label };
    });
  });
  return { id: 'market', name: 'Market of a collection', contracts, rules };
}

const MARKET_METRICS = [
  'volume.1d',
  'sales.1d',
  'average_price.1d',
  'owners',
  'best_offer',
  'spread_pct',
  'lowest_price.1d',
  'sale_discount_pct.1d',
  'floor_change_pct.1h',
  'floor_drop_pct.1h',
  'floor_drawdown_pct.1h',
  'floor_runup_pct.1h',
  'floor_vs_average_pct.6h',
] as const satisfies readonly Metric[];

/**
 * Rules on tokens of two collections: their value, the gain on one of them, and the ratio of the
 * two floors.
 */
function holdingsWatchlist(market: MarketSource, from: Instant): DemoWatchlist {
  const [one, other] = market.contracts();
  const ratio = one && other && ratioKey(one.contract, [other.contract]);
  if (one === undefined || other === undefined || ratio === undefined) {
    return { id: 'holdings', name: 'Holdings', contracts: [], rules: [] };
  }
  const cost = rounded(floorAt(market, one.contract, from), 1);
  const holding = { cost, amount: BigInt(HELD) };
  const floors = [one, other].map(({ contract }) => floorsOf(market, contract, from));
  const values = derivedPrices(floors, (known) => listValue(known, [HELD, 1]));
  const ratios = derivedPrices(floors, floorRatio);
  const ruleOn = (name: string, metric: Metric, points: readonly Point[] = []) => {
    const unit = fixedUnit(metric) ?? 'eth';
    const reported = new Map([['floor', points]] as const);
    const crossed = crossedBy({ metric, unit, holding }, reported, from);
    return { id: idFrom(metric), metric, ...crossed, label: `${name}: ${metricName(metric)}` };
  };
  const compared = ratioName([one.name, other.name]);
  return {
    id: 'holdings',
    name: 'Holdings',
    contracts: [
      { ...one, amount: HELD, cost: { price: formatDecimal(cost) } },
      { ...other, amount: 1 },
      { contract: ratio, name: compared },
    ],
    rules: [
      ruleOn('Holdings', 'list_value', values),
      ruleOn('Holdings', 'list_change_pct.1h', values),
      { ...ruleOn(one.name, 'gain', floors[0]), on: one.contract },
      { ...ruleOn(one.name, 'gain_pct', floors[0]), on: one.contract },
      { ...ruleOn(compared, 'floor_ratio', ratios), on: ratio },
      { ...ruleOn(compared, 'relative_change_pct.1h', ratios), on: ratio },
    ],
  };
}

const HELD = 2;

/** A threshold that a value crosses within an hour after the start. */
function crossedBy(quantity: Quantity, reported: ReportedPast, from: Instant) {
  const [known = 0n] = valuesIn(quantity, reported, { from: from - HOUR, to: from }).slice(-1);
  const ahead = valuesIn(quantity, reported, { from: from + 1, to: from + HOUR });
  const { when, line } = crossedLine(known, ahead);
  return { when, threshold: formatDecimal(line) } as const;
}

/** The values that providers report for a collection until an hour after the start. */
function reportedOf(market: MarketSource, contract: ContractKey, from: Instant): ReportedPast {
  // Trades enter and leave the period of the statistics at any time.
  const minutes = Array.from({ length: 61 }, (_, minute) => from + minute * MINUTE);
  const known = minutes.map((time) => {
    const { periods, owners } = statisticsAt(market, contract, time);
    const day = periods.find(({ days }) => days === 1);
    return { time, day, owners, lowest: lowestTrade(market, contract, time - DAY, time) };
  });
  const offers = [...market.floors(contract, from - HOUR, from + HOUR)].toReversed();
  const offered = (floor: Floor) => (priceOfFloor(floor) * BigInt(bestOfferPercent(floor))) / 100n;
  const point = (time: Instant, price: Decimal | undefined, currency: string): readonly Point[] =>
    price === undefined ? [] : [{ kind: 'price', time, price, currency }];
  return new Map<PriceSeriesName, readonly Point[]>([
    ['floor', floorsOf(market, contract, from)],
    ['offer', offers.flatMap((floor) => point(floor.time, offered(floor), 'eth'))],
    ['owners', known.flatMap(({ time, owners }) => point(time, BigInt(owners) * ONE, 'owners'))],
    ['volume.1d', known.flatMap(({ time, day }) => point(time, day?.volume, 'eth'))],
    [
      'sales.1d',
      known.flatMap(({ time, day }) => point(time, day && BigInt(day.sales) * ONE, 'sales')),
    ],
    [
      'lowest.1d',
      known.flatMap(({ time, lowest }) => point(time, lowest && priceOf(lowest), 'eth')),
    ],
  ]);
}

/** The floors of the longest window of the tour, until an hour after the start; oldest first. */
function floorsOf(market: MarketSource, contract: ContractKey, from: Instant) {
  return [...market.floors(contract, from - 8 * HOUR, from + HOUR)].map(asPrice).toReversed();
}

function asPrice({ time, record }: Floor): PricePoint {
  return { kind: 'price', time, price: readDecimal(record.floor_price) ?? 0n, currency: 'eth' };
}

/** The tokens of a collection with one trait. */
function ofTraits({ contract, name }: MarketContract): MarketContract | undefined {
  const key = withTraits(contract, { Body: 'Gold' });
  return key && { contract: key, name: nameWithTraits(name, key) };
}

/**
 * A rule for each kind of message that price rules do not trigger: worsened, reminder, stale and
 * fresh, expired. One more rule is muted, to show the summary after a mute.
 */
function messagesWatchlist(market: MarketSource, from: Instant): DemoWatchlist {
  const contracts = market.contracts();
  const [, , third, fourth, fifth] = contracts;
  const rules = [
    fifth && {
      ...anyPrice(market, fifth, from),
      ...{ id: 'each-step', steps: '0.05', repeat: { reminder: '20m' } },
      label: `${fifth.name}: an alert at each further 0.05%, and a reminder every 20 minutes`,
    },
    fourth && {
      ...noPrice(market, fourth, from),
      ...{ id: 'goes-quiet', noData: { alert: '6m' } },
      expiresAt: formatInstant(from + 20 * MINUTE),
      label: `${fourth.name}: no new floor for 6 minutes (expires after 20 minutes)`,
    },
    third && {
      ...anyPrice(market, third, from),
      id: MUTED,
      label: `${third.name}: muted for the first 10 minutes`,
    },
  ];
  return {
    id: 'tour',
    name: 'Every kind of message',
    contracts,
    rules: rules.filter((rule) => rule !== undefined),
  };
}

/** The rule of the tour that is muted at the start. */
export const MUTED = 'held-back';

/**
 * A floor rule that fires at the start and worsens within the hour. Its recovery threshold is far
 * away.
 */
function anyPrice(market: MarketSource, { contract }: MarketContract, from: Instant) {
  const known = floorAt(market, contract, from);
  const ahead = [...market.floors(contract, from + 1, from + HOUR)].map(priceOfFloor);
  const rises = ahead.some((price) => price * 1000n >= known * 1004n);
  const near = rises ? known - known / 500n : known + known / 500n;
  return {
    on: contract,
    metric: 'floor_price',
    when: rises ? 'above' : 'below',
    threshold: formatDecimal(rounded(near, 4)),
    recover: formatDecimal(rounded(rises ? known / 2n : known * 2n, 4)),
  } as const;
}

/** A threshold that the floor never reaches. */
function noPrice(market: MarketSource, { contract }: MarketContract, from: Instant) {
  const threshold = formatDecimal(rounded(floorAt(market, contract, from) * 10n, 4));
  return { on: contract, metric: 'floor_price', when: 'above', threshold } as const;
}

/** The variants of the floor rule for the first two collections. */
const DEMO_FLOORS: readonly DemoFloor[] = [{ recovers: true }, { inDollars: true }];

/**
 * A rule on the lowest sale of a week, for a collection in which a sale within two hours undercuts
 * it. Without such a collection, the rule waits for a lower sale.
 */
function lowestRules(
  market: MarketSource,
  contracts: readonly MarketContract[],
  from: Instant,
): readonly DemoRule[] {
  const sales = contracts.flatMap(({ contract, name }) => {
    const known = lowestTrade(market, contract, from - 7 * DAY, from);
    const ahead = lowestTrade(market, contract, from + 1, from + 2 * HOUR);
    if (known === undefined) return [];
    const undercut = ahead !== undefined && priceOf(ahead) < priceOf(known);
    const line = undercut ? (priceOf(known) + priceOf(ahead)) / 2n : priceOf(known);
    return [{ contract, name, undercut, threshold: formatDecimal(rounded(line, 4)) }];
  });
  const chosen = sales.find(({ undercut }) => undercut) ?? sales[0];
  if (chosen === undefined) return [];
  const { contract, name, threshold } = chosen;
  return [
    {
      id: `sale-${idFrom(name)}`,
      on: contract,
      metric: 'lowest_price.7d',
      when: 'below',
      threshold,
      // A known sale exactly at the threshold must not fire the rule at the start.
      arm: 'cross',
      label: `${name}: lowest sale of the last 7 days at or below ${threshold} ETH`,
    },
  ];
}
