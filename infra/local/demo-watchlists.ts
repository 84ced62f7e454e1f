import {
  type ContractKey,
  nameWithTraits,
  ratioKey,
  withTraits,
} from '#shared/domain/market/contract.ts';
import { type Decimal, formatDecimal, readDecimal } from '#shared/domain/market/decimal.ts';
import { ratioName } from '#shared/domain/market/derived-key.ts';
import { derivedPrices } from '#shared/domain/market/derived-price.ts';
import { floorRatio } from '#shared/domain/market/floor-ratio.ts';
import { DAY, formatInstant, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { listValue } from '#shared/domain/market/list-value.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import {
  type Floor,
  lowestTrade,
  type MarketContract,
  type MarketSource,
  priceOf,
} from './upstream/market-source.ts';

/** The body of `POST /v1/watchlists`. */
export type DemoWatchlist = {
  readonly id: string;
  readonly name: string;
  readonly contracts: readonly DemoMember[];
  readonly rules: readonly DemoRule[];
};

type DemoMember = MarketContract & {
  readonly amount?: number;
  readonly cost?: { readonly price: string };
};

type DemoRule = {
  readonly id: string;
  readonly on?: ContractKey;
  readonly metric:
    | 'floor_price'
    | 'floor_price_usd'
    | 'lowest_price.7d'
    | 'data_age_minutes'
    | 'floor_ratio'
    | 'gain'
    | 'list_value';
  readonly when: 'below' | 'above';
  readonly threshold: string;
  readonly recover?: string;
  readonly label: string;
  readonly [option: string]: unknown;
};

/**
 * A few simple rules for new users. The first rule fires at the first price; floors cross the next
 * two thresholds within the hour.
 *
 * The thresholds are derived from future prices, which only a simulated market has.
 */
export function demoWatchlist(market: MarketSource, from: Instant): DemoWatchlist {
  const contracts = market.contracts();
  const [first, second, third] = contracts;
  return {
    id: 'demo',
    name: 'Demo',
    contracts,
    rules: [
      ...(first === undefined ? [] : [belowAtStart(market, first, from)]),
      ...(second === undefined ? [] : [floorRule(market, second, {}, from)]),
      ...(third === undefined ? [] : [floorRule(market, third, { inDollars: true }, from)]),
      {
        id: 'no-floor',
        metric: 'data_age_minutes',
        when: 'above',
        threshold: '60',
        label: 'no new floor for an hour',
      },
    ],
  };
}

/** A rule with a round threshold above the floor at the start, so that it fires immediately. */
function belowAtStart(
  market: MarketSource,
  { contract, name }: MarketContract,
  from: Instant,
): DemoRule {
  const known = floorAt(market, contract, from);
  const threshold = formatDecimal(roundest(known, known + known / 20n));
  return {
    id: `floor-${idFrom(name)}`,
    on: contract,
    metric: 'floor_price',
    when: 'below',
    threshold,
    label: `${name}: floor below ${threshold} ETH`,
  };
}

/**
 * The watchlists of the tour: rules on every kind of metric that fire within the hour, and rules
 * for every kind of message.
 */
export function tourWatchlists(market: MarketSource, from: Instant): readonly DemoWatchlist[] {
  return [
    metricsWatchlist(market, from),
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

/** Tokens of two collections: their value, the gain on one, and the ratio of both floors. */
function holdingsWatchlist(market: MarketSource, from: Instant): DemoWatchlist {
  const [one, other] = market.contracts();
  const ratio = one && other && ratioKey(one.contract, [other.contract]);
  if (one === undefined || other === undefined || ratio === undefined) {
    return { id: 'holdings', name: 'Holdings', contracts: [], rules: [] };
  }
  const cost = rounded(floorAt(market, one.contract, from), 1);
  const held = [
    { ...one, amount: HELD, cost: { price: formatDecimal(cost) } },
    { ...other, amount: 1 },
  ];
  const floorsOf = ({ contract }: MarketContract) =>
    [...market.floors(contract, from - HOUR, from + HOUR)].map(asPrice).toReversed();
  const floors = [floorsOf(one), floorsOf(other)];
  const gains = floorsOf(one).map(({ price, ...floor }) => {
    return { ...floor, price: (price - cost) * BigInt(HELD) };
  });
  const values = derivedPrices(floors, (known) => listValue(known, [HELD, 1]));
  const ruleOn = (metric: DemoRule['metric'], points: readonly PricePoint[]) => {
    const known = points.findLast(({ time }) => time <= from)?.price ?? 0n;
    const ahead = points.flatMap(({ time, price }) => (time > from ? [price] : []));
    const { when, line } = crossedLine(known, ahead);
    return { metric, when, threshold: formatDecimal(line) } as const;
  };
  return {
    id: 'holdings',
    name: 'Holdings',
    contracts: [...held, { contract: ratio, name: ratioName([one.name, other.name]) }],
    rules: [
      { id: 'value', label: 'value of all tokens', ...ruleOn('list_value', values) },
      { id: 'gain', on: one.contract, label: `gain on ${one.name}`, ...ruleOn('gain', gains) },
      {
        ...{ id: 'ratio', on: ratio, label: `${one.name} against ${other.name}` },
        ...ruleOn('floor_ratio', derivedPrices(floors, floorRatio)),
      },
    ],
  };
}

const HELD = 2;

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
      label: `${fifth.name}: each further step of 0.05%, and every 20 minutes`,
    },
    fourth && {
      ...noPrice(market, fourth, from),
      ...{ id: 'goes-quiet', noData: { alert: '6m' } },
      expiresAt: formatInstant(from + 20 * MINUTE),
      label: `${fourth.name}: no new floor for 6 minutes, in the first 20`,
    },
    third && {
      ...anyPrice(market, third, from),
      id: MUTED,
      label: `${third.name}: muted at first`,
    },
  ];
  return {
    id: 'tour',
    name: 'Each kind of message',
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

function floorAt(market: MarketSource, contract: ContractKey, from: Instant): Decimal {
  const [known = 0n] = [...market.floors(contract, from - HOUR, from)].map(priceOfFloor);
  return known;
}

const priceOfFloor = ({ record }: Floor) => readDecimal(record.floor_price) ?? 0n;

/** The variants of the floor rules of the first collections. */
const DEMO_FLOORS: readonly DemoFloor[] = [{ recovers: true }, { inDollars: true }];
type DemoFloor = { readonly recovers?: boolean; readonly inDollars?: boolean };

function floorRule(
  market: MarketSource,
  { contract, name }: MarketContract,
  { recovers = false, inDollars = false }: DemoFloor = {},
  from: Instant,
): DemoRule {
  const priceIn = ({ record }: Floor) =>
    readDecimal((inDollars ? record.floor_price_usd : record.floor_price) ?? '') ?? 0n;
  const [known = 0n] = [...market.floors(contract, from - HOUR, from)].map(priceIn);
  const ahead = [...market.floors(contract, from + 1, from + HOUR)].map(priceIn);
  const { when, line, back: beyond } = crossedLine(known, ahead);
  const back = rounded((line + beyond) / 2n, 4);
  const threshold = formatDecimal(line);
  return {
    id: `floor-${idFrom(name)}`,
    on: contract,
    metric: inDollars ? 'floor_price_usd' : 'floor_price',
    when,
    threshold,
    ...(recovers ? { recover: formatDecimal(back) } : {}),
    label: `${name}: floor ${when} ${threshold} ${inDollars ? 'USD' : 'ETH'}`,
  };
}

/** A round threshold that values cross, and how far they are on its near side. */
function crossedLine(known: Decimal, ahead: readonly Decimal[]) {
  const lowest = least([known, ...ahead]);
  const highest = -least([known, ...ahead].map((value) => -value));
  const falls = known - lowest > highest - known;
  const reach = falls ? known - lowest : highest - known;
  // A condition that holds at the start would show no crossing, and equality satisfies a condition.
  const line = falls
    ? roundest(known - (reach * 2n) / 3n, known - reach / 3n)
    : roundest(known + reach / 3n, known + (reach * 2n) / 3n);
  return { when: falls ? 'below' : 'above', line, back: falls ? highest : lowest } as const;
}

/**
 * A rule on the lowest sale of a week that a sale soon undercuts, or else one that waits for such a
 * sale.
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
      // A sale exactly at the threshold at the start must not fire.
      arm: 'cross',
      label: `${name}: lowest sale of a week at or below ${threshold} ETH`,
    },
  ];
}

const idFrom = (name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '');
const least = (values: readonly Decimal[]) => values.reduce((a, b) => (b < a ? b : a));

/** The number with the fewest digits between two others, both inclusive. */
function roundest(low: Decimal, high: Decimal): Decimal {
  for (let unit = LARGEST_UNIT; unit > 1n; unit /= 10n) {
    for (const step of [unit, unit / 2n]) {
      const value = ((low + step - 1n) / step) * step;
      if (value <= high) return value;
    }
  }
  return low;
}

const LARGEST_UNIT = 10n ** 26n;

function rounded(value: Decimal, decimals: number): Decimal {
  const unit = 10n ** BigInt(18 - decimals);
  return ((value + unit / 2n) / unit) * unit;
}
