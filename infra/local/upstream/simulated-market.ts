import { type ContractKey, contractOf, wholeCollection } from '#shared/domain/market/contract.ts';
import { DAY, HOUR, type Instant } from '#shared/domain/market/instant.ts';
import type { MarketSource } from './market-source.ts';
import { FLOOR_EVERY, simulatedCollections, TRADE_EVERY } from './simulated-collection.ts';

const HISTORY = 90 * DAY;
/** The interval between floors before the start grows with their age. */
const PAST_EVERY = [
  { until: 6 * HOUR, every: FLOOR_EVERY },
  { until: 2 * DAY, every: HOUR },
  { until: 8 * DAY, every: 3 * HOUR },
  { until: 31 * DAY, every: 12 * HOUR },
  { until: Number.POSITIVE_INFINITY, every: DAY },
] as const;
/** The number of cached slots per collection, which cover more than a month. */
const REMEMBERED = 5000;

/**
 * A simulated market: the same seed gives the same prices at the same instants on any machine.
 *
 * Each price is computed from its time by integer arithmetic. So the market has no end, needs
 * little memory, and can return the prices of any instant. It begins 90 days before `from`. Its
 * older floors are farther apart.
 */
export function createSimulatedMarket(seed: number, from: Instant): MarketSource {
  const start = from - HISTORY;
  const collections = simulatedCollections(seed).map((collection) => ({
    ...collection,
    floor: remember(collection.floor),
    trade: remember(collection.trade),
  }));
  const byContract = new Map(collections.map((collection) => [collection.contract, collection]));
  /** The floors of a contract, or of its tokens with the given traits. */
  const floorsOf = (contract: ContractKey) => {
    const collection = byContract.get(wholeCollection(contract));
    if (collection === undefined) return undefined;
    const { traits } = contractOf(contract);
    return (slot: number) => {
      if (!hasFloor(slot, from)) return undefined;
      return traits === undefined ? collection.floor(slot) : collection.traitFloor(traits, slot);
    };
  };
  return {
    contracts: () => collections.map(({ contract, name }) => ({ contract, name })),
    tokens: (contract) => byContract.get(contract)?.tokens() ?? [],

    floors: function* (contract, since, until) {
      const floorIn = floorsOf(contract);
      const first = Math.max(since, start);
      for (let slot = slotOf(until, FLOOR_EVERY); slot >= slotOf(first, FLOOR_EVERY); slot -= 1) {
        const floor = floorIn?.(slot);
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
      firstAfter(floorsOf(wholeCollection(contract)), Math.max(after, start), FLOOR_EVERY),
    nextTrade: (contract, after) =>
      firstAfter(byContract.get(contract)?.trade, Math.max(after, start), TRADE_EVERY),
  };
}

/**
 * Whether a slot has a floor, given the start of the market: before the start only some slots have
 * one.
 */
function hasFloor(slot: number, start: Instant): boolean {
  const time = slot * FLOOR_EVERY;
  const every = PAST_EVERY.find(({ until }) => start - time <= until)?.every ?? DAY;
  return time % every === 0;
}

/** Caches the last computed values, so that a scan of a week computes each price once. */
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
