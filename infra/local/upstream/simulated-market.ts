import type { ContractKey } from '#shared/domain/market/contract.ts';
import { type Decimal, formatDecimal, readDecimal } from '#shared/domain/market/decimal.ts';
import { DAY, HOUR, type Instant } from '#shared/domain/market/instant.ts';
import {
  type Floor,
  lowestTrade,
  type MarketContract,
  type MarketSource,
  priceOf,
} from './market-source.ts';
import { FLOOR_EVERY, simulatedCollections, TRADE_EVERY } from './simulated-collection.ts';

const HISTORY = 30 * DAY;
/** Slots of one collection: more than a month of them. */
const REMEMBERED = 5000;

/**
 * A market that never was: the same seed gives the same prices at the same instants, on any machine.
 *
 * Every number is computed from its own time by integer arithmetic, so next to nothing is kept, any
 * instant can be asked for, and the market has no end. It begins 30 days before `from`.
 */
export function createSimulatedMarket(seed: number, from: Instant): MarketSource {
  const start = from - HISTORY;
  const collections = simulatedCollections(seed).map((collection) => ({
    ...collection,
    floor: remember(collection.floor),
    trade: remember(collection.trade),
  }));
  const byContract = new Map(collections.map((collection) => [collection.contract, collection]));
  return {
    contracts: () => collections.map(({ contract, name }) => ({ contract, name })),
    tokens: (contract) => byContract.get(contract)?.tokens() ?? [],

    floors: function* (contract, since, until) {
      const collection = byContract.get(contract);
      const first = Math.max(since, start);
      for (let slot = slotOf(until, FLOOR_EVERY); slot >= slotOf(first, FLOOR_EVERY); slot -= 1) {
        const floor = collection?.floor(slot);
        if (floor !== undefined && floor.time >= first && floor.time <= until) yield floor;
      }
    },

    trades: function* (contract, since, until) {
      const collection = byContract.get(contract);
      const first = Math.max(since, start);
      for (let slot = slotOf(first, TRADE_EVERY); slot <= slotOf(until, TRADE_EVERY); slot += 1) {
        const trade = collection?.trade(slot);
        if (trade !== undefined && trade.time >= first && trade.time <= until) yield trade;
      }
    },

    nextFloor: (contract, after) =>
      firstAfter(byContract.get(contract)?.floor, Math.max(after, start), FLOOR_EVERY),
    nextTrade: (contract, after) =>
      firstAfter(byContract.get(contract)?.trade, Math.max(after, start), TRADE_EVERY),
  };
}

/** A watchlist as `POST /v1/watchlists` takes it. */
export type DemoWatchlist = {
  readonly id: string;
  readonly name: string;
  readonly contracts: readonly MarketContract[];
  readonly rules: readonly DemoRule[];
};

type DemoRule = {
  readonly id: string;
  readonly on: ContractKey;
  readonly metric: 'floor_price' | 'floor_price_usd' | 'lowest_price.7d';
  readonly when: 'below' | 'above';
  readonly threshold: string;
  readonly recover?: string;
  readonly label: string;
};

/**
 * Rules that a newcomer sees at work: each floor crosses its line within the hour.
 *
 * The lines are laid with a look ahead, which only a made-up market allows.
 */
export function demoWatchlist(market: MarketSource, from: Instant): DemoWatchlist {
  const contracts = market.contracts();
  return {
    id: 'demo',
    name: 'Simulated collections',
    contracts,
    rules: [
      ...contracts.map((member, index) => floorRule(market, member, DEMO_FLOORS[index], from)),
      ...lowestRules(market, contracts, from),
    ],
  };
}

/** What is shown of one collection after the other; a plain floor where nothing is said. */
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
  const lowest = least([known, ...ahead]);
  const highest = -least([known, ...ahead].map((value) => -value));
  const decimals = inDollars ? 0 : 4;
  const middle = rounded((lowest + highest) / 2n, decimals);
  // At the line counts as beyond it, and a rule that is beyond from the start has nothing to show.
  const line = middle === known ? middle - 10n ** BigInt(18 - decimals) : middle;
  const when = known > line ? 'below' : 'above';
  const back = rounded((line + (when === 'below' ? highest : lowest)) / 2n, decimals);
  const threshold = formatDecimal(line);
  return {
    id: `floor-${slugOf(name)}`,
    on: contract,
    metric: inDollars ? 'floor_price_usd' : 'floor_price',
    when,
    threshold,
    ...(recovers ? { recover: formatDecimal(back) } : {}),
    label: `${name}: floor ${when} ${threshold} ${inDollars ? 'USD' : 'ETH'}`,
  };
}

/** A lowest sale of the week that is undercut soon; else one that stands at the line already. */
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
      id: `sale-${slugOf(name)}`,
      on: contract,
      metric: 'lowest_price.7d',
      when: 'below',
      threshold,
      label: `${name}: lowest sale of a week at or below ${threshold} ETH`,
    },
  ];
}

const slugOf = (name: string) => name.toLowerCase().replaceAll(' ', '-');
const least = (values: readonly Decimal[]) => values.reduce((a, b) => (b < a ? b : a));

function rounded(value: Decimal, decimals: number): Decimal {
  const unit = 10n ** BigInt(18 - decimals);
  return ((value + unit / 2n) / unit) * unit;
}

/** Keeps what was computed last, so that a scan of a week costs its price once. */
function remember<Value>(compute: (slot: number) => Value): (slot: number) => Value {
  const kept = new Map<number, Value>();
  return (slot) => {
    const known = kept.get(slot);
    if (known !== undefined) return known;
    if (kept.size >= REMEMBERED) kept.clear();
    const value = compute(slot);
    kept.set(slot, value);
    return value;
  };
}

const slotOf = (time: Instant, every: number) => Math.floor(time / every);

function firstAfter(
  at: ((slot: number) => { readonly time: Instant } | undefined) | undefined,
  after: Instant,
  every: number,
): Instant | undefined {
  if (at === undefined) return undefined;
  for (let slot = slotOf(after, every); ; slot += 1) {
    const found = at(slot);
    if (found !== undefined && found.time > after) return found.time;
  }
}
