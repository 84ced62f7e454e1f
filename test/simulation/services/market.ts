import type { ContractKey } from '#shared/domain/market/contract.ts';
import { ONE } from '#shared/domain/market/decimal.ts';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { STATISTICS_DAYS } from '#shared/domain/market/price-series.ts';
import type {
  BestOffer,
  FloorInterval,
  FloorPage,
  FloorPoint,
  FloorQuery,
  LowestTrade,
  Outcome,
  Statistics,
} from '#shared/domain/market/upstream.ts';
import { omit } from '#shared/domain/omit.ts';
import type { Outage } from '#test/simulation/calendar.ts';
import type { Faults } from './faults.ts';
import type { Stream } from './streams.ts';

const TENTH = 10n ** 17n;
/** The price of one ETH in dollars. */
export const RATE = 3000;

/** Prices vary around this floor. */
export const USUAL_FLOOR = 60;
/** Prices in tenths that rules use as thresholds. */
export const ROUND_TENTHS = [560, 580, 600, 620] as const;

/** Number of floors in a page of the provider. */
const PAGE = 50;
const DAYS: Readonly<Record<FloorInterval, number>> = {
  '1d': 1,
  '7d': 7,
  '30d': 30,
  '60d': 60,
  '90d': 90,
  '1y': 365,
  all: 10_000,
};

/** The real floors and trades of a contract. */
type Life = { readonly floors: readonly FloorPoint[]; readonly trades: readonly LowestTrade[] };

/** The simulated time of a market. The market is not polled during an outage. */
type Span = {
  readonly start: Instant;
  readonly end: Instant;
  readonly outage: Outage | undefined;
};

export type Market = {
  /** The page of floors that the upstream returns at a moment. */
  readonly floors: (contract: ContractKey, query: FloorQuery, now: Instant) => Outcome<FloorPage>;
  readonly lowest: (contract: ContractKey, days: number, now: Instant) => Outcome<LowestTrade>;
  readonly bestOffer: (contract: ContractKey, now: Instant) => Outcome<BestOffer>;
  /** The floor at an instant. */
  readonly floorAt: (contract: ContractKey, instant: Instant) => FloorPoint | undefined;
  /** The times of all floors of a contract, polled or not. */
  readonly floorTimes: (contract: ContractKey) => readonly Instant[];
};

/** Prices vary around 60, so thresholds between 55 and 65 are crossed often. */
export function createMarket(
  contracts: readonly ContractKey[],
  span: Span,
  market: Stream,
  faults: Faults,
): Market {
  const lives = new Map(contracts.map((contract) => [contract, live(market, span)]));
  const lifeOf = (contract: ContractKey) => lives.get(contract) ?? { floors: [], trades: [] };
  const seenAt = (now: Instant) =>
    faults.strikes('upstreamStale') ? now - market.between(5, 45) * MINUTE : now;

  return {
    floorAt: (contract, instant) => lifeOf(contract).floors.findLast(({ time }) => time <= instant),

    floorTimes: (contract) => lifeOf(contract).floors.map(({ time }) => time),

    floors: (contract, { interval, cursor }, now) => {
      const refusal = refusalOf(faults, market);
      if (refusal !== undefined) return refusal;
      const { floors } = lifeOf(contract);
      const then = seenAt(now);
      const end = cursor === undefined ? then : Number(cursor);
      const start = now - DAYS[interval] * DAY;
      const reported = floors.filter(({ time }) => time > start && time <= end);
      const page = reported.slice(-PAGE);
      const [oldest] = reported.length > PAGE ? page : [];
      const points = page.map((point) =>
        point === reported.at(-1) && cursor === undefined ? altered(point, faults, market) : point,
      );
      return points.length === 0
        ? { kind: 'not_ready' }
        : {
            kind: 'ok',
            value: {
              points: points.toReversed(),
              ...(cursor === undefined ? { statistics: statisticsOf(lifeOf(contract), then) } : {}),
              ...(oldest === undefined ? {} : { cursor: String(oldest.time - 1) }),
            },
          };
    },

    lowest: (contract, days, now) => {
      const refusal = refusalOf(faults, market);
      if (refusal !== undefined) return refusal;
      const then = seenAt(now);
      const [lowest] = lifeOf(contract)
        .trades.filter(({ time }) => time <= then && time > now - days * 24 * HOUR)
        .toSorted((a, b) => (a.price === b.price ? a.time - b.time : a.price < b.price ? -1 : 1));
      return lowest === undefined ? { kind: 'empty' } : { kind: 'ok', value: lowest };
    },

    bestOffer: (contract, now) => {
      const refusal = refusalOf(faults, market);
      if (refusal !== undefined) return refusal;
      const then = seenAt(now);
      const floor = lifeOf(contract).floors.findLast(({ time }) => time <= then);
      return floor === undefined ? { kind: 'empty' } : offerUnder(floor, then);
    },
  };
}

/** Volume, sales and owners of a collection, as OpenSea counts them up to a moment. */
function statisticsOf({ trades }: Life, then: Instant): Statistics {
  const counted = STATISTICS_DAYS.flatMap((days) => {
    const sold = trades.filter(({ time }) => time <= then && time > then - days * DAY);
    const volume = sold.reduce((sum, { price }) => sum + price, 0n);
    return [
      [`volume.${days}d`, { value: volume, unit: 'eth' }],
      [`sales.${days}d`, { value: BigInt(sold.length) * ONE, unit: 'sales' }],
    ] as const;
  });
  const all = trades.filter(({ time }) => time <= then).length;
  const owners = { value: BigInt(90 + (all % 20)) * ONE, unit: 'owners' };
  return Object.fromEntries([...counted, ['owners', owners]]);
}

/** Offers change every four minutes. In every fourth period there is no offer. */
function offerUnder({ price, currency }: FloorPoint, then: Instant): Outcome<BestOffer> {
  const turn = Math.floor(then / (4 * MINUTE));
  if (turn % 4 === 0) return { kind: 'empty' };
  const percent = BigInt(86 + ((turn * 11) % 17));
  const offered = (price * percent) / 100n;
  return { kind: 'ok', value: { price: offered - (offered % TENTH), currency } };
}

function live(market: Stream, { start, end, outage }: Span): Life {
  const floors: FloorPoint[] = [];
  const trades: LowestTrade[] = [];
  let tenths = market.between(550, 650);
  // The day before the start, on which windows look back, has fewer floors. Some contracts have
  // half an hour with more floors than polls can read.
  const rushAt = market.happens(0.3) ? market.between(start, end) : end;
  // Some contracts stop having sales, so that their last sales leave the window of a day.
  const isSoldOut = market.happens(0.3);
  const soldUntil = isSoldOut ? start - DAY + market.between(40, 95) * MINUTE : end;
  // Some contracts sometimes have a floor far from the one before.
  const isWild = market.happens(0.25);
  let [calmUntil, stray, factor] = [start - 3 * HOUR, 0, 100];
  // Some contracts have a few sales for almost nothing, which become the lowest price of a day.
  const givesAway = market.happens(0.2);
  // The last sales have rising prices and are minutes apart, so the lowest leaves the window first.
  const isOfLast = (time: Instant) => isSoldOut && time >= start - DAY && time < soldUntil;
  const gap = (time: Instant) => {
    const isOut = outage !== undefined && time >= outage.from && time < outage.until - HOUR;
    if (isOut || (time < start - 2 * HOUR && !isOfLast(time)))
      return market.between(20, 50) * MINUTE;
    const isRush = time >= rushAt && time < rushAt + HOUR / 2;
    return market.between(1, isRush ? 20 : 14 * 60) * SECOND;
  };
  for (let time = start - 26 * HOUR; time < end; time += gap(time)) {
    const near = Math.min(700, Math.max(500, tenths + market.between(-15, 15)));
    tenths = market.happens(0.15) ? jump(market) : near;
    if (isOfLast(time)) tenths = risen(time - (start - DAY), market);
    if (time >= calmUntil && isWild && market.happens(0.03)) {
      calmUntil = time + market.between(5, 60) * MINUTE;
      // Only the next floor shows whether the provider was wrong or the price has really changed.
      stray = market.happens(0.6) ? 1 : market.between(2, 6);
      factor = market.pick([45, 55, 69, 70, 71, 143, 160, 200]);
    }
    const shown = stray > 0 ? Math.round((tenths * factor) / 100) : tenths;
    stray -= 1;
    const point = floorAt(time, shown, market);
    floors.push(point);
    if (market.happens(isOfLast(time) ? 0.6 : 0.3) && time < soldUntil) {
      const isGift = givesAway && market.happens(0.05);
      trades.push({
        time,
        price: isGift ? gift(point.price, market) : point.price,
        tokenIds: ['1'],
      });
    }
  }
  // After some outages, the provider has lost all data from before the end of the outage.
  if (outage === undefined || !market.happens(0.3)) return { floors, trades };
  const isKnown = ({ time }: { readonly time: Instant }) => time >= outage.until;
  // A provider without any floor would never answer, so the system would never become idle.
  if (!floors.some(isKnown)) return { floors, trades };
  return { floors: floors.filter(isKnown), trades: trades.filter(isKnown) };
}

/** A price of about 1% of the given price, or dust. */
function gift(price: bigint, market: Stream): bigint {
  return market.happens(0.3) ? 130_000_000_000n : (price * BigInt(market.between(7, 13))) / 1000n;
}

/** Prices that rise by 16 ETH within an hour. */
function risen(milliseconds: number, market: Stream): number {
  return 520 + Math.round((160 * milliseconds) / HOUR) + market.between(-5, 5);
}

/** Half of the jumps lead to a price that many rules use as their threshold. */
function jump(market: Stream): number {
  return market.happens(0.5) ? market.pick(ROUND_TENTHS) : market.between(500, 700);
}

/**
 * Floors are in tenths, as thresholds are, so a floor often equals a threshold, and sometimes
 * misses it by the smallest unit.
 */
function floorAt(time: Instant, tenths: number, market: Stream): FloorPoint {
  const miss = BigInt(market.happens(0.2) ? market.pick([-1, 1]) : 0);
  const price = BigInt(tenths) * TENTH + miss;
  return { time, price, usd: price * BigInt(RATE), currency: 'eth', marketplaces: ['opensea'] };
}

/** A point with the faults of a provider. */
function altered(point: FloorPoint, faults: Faults, market: Stream): FloorPoint {
  if (faults.strikes('upstreamRevises')) {
    const inOtherDollars = { ...point, usd: point.price * BigInt(RATE + market.between(1, 30)) };
    const another = floorAt(point.time, market.between(500, 700), market);
    return market.happens(0.3) ? inOtherDollars : another;
  }
  if (!faults.strikes('upstreamOtherMoney')) return point;
  const rest = omit(point, 'usd');
  return market.happens(0.5) ? rest : { ...point, currency: 'usdc' };
}

/** The failure of a provider, if a fault occurs. */
export function refusalOf(
  faults: Faults,
  market: Stream,
): Exclude<Outcome<never>, { kind: 'ok' }> | undefined {
  if (faults.strikes('upstreamFails')) {
    return {
      kind: 'failed',
      reason: market.pick(['timeout', 'network', 'server_error', 'garbage']),
    };
  }
  if (faults.strikes('upstreamNotReady')) return { kind: 'not_ready' };
  if (faults.strikes('upstreamNotFound')) return { kind: 'not_found' };
  if (faults.strikes('upstreamThrottles')) {
    return market.happens(0.5)
      ? { kind: 'throttled' }
      : { kind: 'throttled', retryAfterSeconds: market.between(1, 120) };
  }
  if (faults.strikes('upstreamDenies')) {
    return { kind: 'denied', reason: market.pick(['key', 'quota', 'paused', 'blocked', 'plan']) };
  }
  return faults.strikes('upstreamRetires') ? { kind: 'unsupported', reason: 'retired' } : undefined;
}
