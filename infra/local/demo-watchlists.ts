import type { ContractKey } from '#shared/domain/market/contract.ts';
import { type Decimal, formatDecimal, readDecimal } from '#shared/domain/market/decimal.ts';
import { HOUR, type Instant } from '#shared/domain/market/instant.ts';
import type { Metric } from '#shared/domain/metrics/metric.ts';
import type { Floor, MarketContract, MarketSource } from './upstream/market-source.ts';

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

export type DemoRule = {
  readonly id: string;
  readonly on?: ContractKey;
  readonly metric: Metric;
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

/** A rule that fires immediately: its round threshold is above the floor at the start. */
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

export function floorAt(market: MarketSource, contract: ContractKey, from: Instant): Decimal {
  const [known = 0n] = [...market.floors(contract, from - HOUR, from)].map(priceOfFloor);
  return known;
}

export const priceOfFloor = ({ record }: Floor) => readDecimal(record.floor_price) ?? 0n;

export type DemoFloor = { readonly recovers?: boolean; readonly inDollars?: boolean };

export function floorRule(
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

/**
 * A round threshold that the values cross, and the value farthest from the threshold on the side
 * where the values start.
 */
export function crossedLine(known: Decimal, ahead: readonly Decimal[]) {
  const lowest = least([known, ...ahead]);
  const highest = -least([known, ...ahead].map((value) => -value));
  const falls = known - lowest > highest - known;
  const reach = falls ? known - lowest : highest - known;
  // The threshold must differ from the first value: equality already satisfies the condition, so
  // the demo would show no crossing.
  const line = falls
    ? roundest(known - (reach * 2n) / 3n, known - reach / 3n)
    : roundest(known + reach / 3n, known + (reach * 2n) / 3n);
  return { when: falls ? 'below' : 'above', line, back: falls ? highest : lowest } as const;
}

export const idFrom = (name: string) =>
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

export function rounded(value: Decimal, decimals: number): Decimal {
  const unit = 10n ** BigInt(18 - decimals);
  return ((value + unit / 2n) / unit) * unit;
}
