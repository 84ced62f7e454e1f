import type { ContractKey } from '#shared/domain/market/contract.ts';
import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type {
  FloorPage,
  FloorPoint,
  LowestTrade,
  Outcome,
} from '#shared/domain/market/upstream.ts';
import type { Faults } from './faults.ts';
import type { Stream } from './streams.ts';

const PLACES = 10n ** 16n;
/** A dollar price of one coin. */
const RATE = 3000n;

/** What really happens at a contract: floors and trades, each with its moment. */
type Life = { readonly floors: readonly FloorPoint[]; readonly trades: readonly LowestTrade[] };

export type Market = {
  /** What the upstream says of a contract's floors at a moment. */
  readonly floors: (contract: ContractKey, now: Instant) => Outcome<FloorPage>;
  readonly lowest: (contract: ContractKey, days: number, now: Instant) => Outcome<LowestTrade>;
};

/** Prices wander around 60, so that lines between 55 and 65 are crossed again and again. */
export function createMarket(
  contracts: readonly ContractKey[],
  { start, end }: { readonly start: Instant; readonly end: Instant },
  market: Stream,
  faults: Faults,
): Market {
  const lives = new Map(contracts.map((contract) => [contract, live(market, start, end)]));
  const lifeOf = (contract: ContractKey) => lives.get(contract) ?? { floors: [], trades: [] };
  const seenAt = (now: Instant) =>
    faults.strikes('upstreamStale') ? now - market.between(5, 45) * MINUTE : now;

  return {
    floors: (contract, now) => {
      const refusal = refusalOf(faults, market);
      if (refusal !== undefined) return refusal;
      const then = seenAt(now);
      const told = lifeOf(contract).floors.filter(({ time }) => time <= then);
      const points = told.map((point) => altered(point, point === told.at(-1), faults, market));
      return points.length === 0
        ? { kind: 'not_ready' }
        : { kind: 'ok', value: { points: points.toReversed() } };
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
  };
}

function live(market: Stream, start: Instant, end: Instant): Life {
  const floors: FloorPoint[] = [];
  const trades: LowestTrade[] = [];
  let price = BigInt(market.between(5500, 6500));
  for (let time = start - 2 * HOUR; time < end; time += market.between(1, 14 * 60) * 1000) {
    price = market.happens(0.15)
      ? BigInt(market.between(5000, 7000))
      : clamp(price + BigInt(market.between(-150, 150)));
    floors.push(floorAt(time, price));
    if (market.happens(0.3)) trades.push({ time, price: price * PLACES, tokenIds: ['1'] });
  }
  return { floors, trades };
}

function floorAt(time: Instant, hundredths: bigint): FloorPoint {
  const price = hundredths * PLACES;
  return { time, price, usd: price * RATE, currency: 'eth', marketplaces: ['opensea'] };
}

function clamp(price: bigint): bigint {
  if (price < 5000n) return 5000n;
  return price > 7000n ? 7000n : price;
}

/** A point as a vendor tells it on a bad day. */
function altered(point: FloorPoint, isLast: boolean, faults: Faults, market: Stream): FloorPoint {
  if (!isLast) return point;
  if (faults.strikes('upstreamRevises')) {
    return floorAt(point.time, BigInt(market.between(5000, 7000)));
  }
  if (!faults.strikes('upstreamOtherMoney')) return point;
  const { usd: _usd, ...rest } = point;
  return market.happens(0.5) ? rest : { ...point, currency: 'usdc' };
}

function refusalOf(
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
    return { kind: 'denied', reason: market.pick(['key', 'quota', 'paused', 'blocked']) };
  }
  return faults.strikes('upstreamRetires') ? { kind: 'unsupported', reason: 'retired' } : undefined;
}
