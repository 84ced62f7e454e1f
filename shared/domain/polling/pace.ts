import { defined } from '#shared/domain/defined.ts';
import { HOUR, type Instant } from '#shared/domain/market/instant.ts';
import { type ContractRecord, newestOf, seriesIn } from './contract-record.ts';

/**
 * How often the contracts of a tenant are polled.
 *
 * If the tenant's share does not cover the configured cadence, contracts whose prices moved
 * recently are polled more often, and contracts whose prices are stable less often, because a floor
 * that has just moved is likely to move again soon. The distance to a threshold is ignored, because
 * floors jump over thresholds.
 */
export type Pace = {
  /** Minutes between two polls of a contract. */
  readonly minutes: number;
  /** Contracts of this rank or higher are polled four times as often. */
  readonly fourTimesFrom?: string | undefined;
  /** Contracts of this rank or higher are polled twice as often. */
  readonly twiceFrom?: string | undefined;
  /** Contracts below this rank are polled half as often. */
  readonly halfBefore?: string | undefined;
};

/** A contract with the cost of its poll for the tenant. */
export type Polled = { readonly record: ContractRecord; readonly cost: PollCost };

/** Cost in calls (rate) and in units (budget). */
export type PollCost = { readonly calls: number; readonly units: number };

/**
 * To be polled more often at the expense of others, a contract must have moved within this time.
 */
const LATELY = 2 * HOUR;
/** Contracts that have not moved for this time may be polled less often. */
const STILL = 12 * HOUR;
/**
 * Part of a share's spare capacity that may be used to poll contracts more often. The rest is for
 * retries.
 */
const SPENT = 0.9;

/**
 * The pace of a tenant's contracts at a cadence. `beyond` is the unused part of the tenant's share
 * per cadence. No contract is polled more often than configured, and each is polled at least every
 * two cadences.
 */
export function pollPace(
  polled: readonly Polled[],
  cadence: { readonly minutes: number; readonly configuredMinutes: number },
  beyond: PollCost,
  now: Instant,
): Pace {
  const { minutes, configuredMinutes } = cadence;
  const ranked = polled
    .map(({ record, cost }) => ({ cost, rank: rankOf(record), movedAt: movedAt(record) }))
    .toSorted((one, other) => (one.rank < other.rank ? 1 : -1));
  let room = times(beyond, SPENT);
  let half = ranked.length;
  /**
   * Gives the contracts in `[from, to)` this number of additional polls per cadence. Returns the
   * index of the first contract that gets none.
   */
  const raise = (from: number, to: number, polls: number): number => {
    for (const [index, { cost, movedAt: moved }] of ranked.entries()) {
      if (index < from || index >= to) continue;
      const more = times(cost, polls);
      let [left, still] = [room, half];
      while (!carries(left, more) && now - moved <= LATELY) {
        const last = ranked[still - 1];
        if (last === undefined || now - last.movedAt <= STILL) break;
        still -= 1;
        left = plus(left, times(last.cost, 0.5));
      }
      if (!carries(left, more) || still <= index) return index;
      [room, half] = [plus(left, times(more, -1)), still];
    }
    return to;
  };
  const lately = ranked.filter(({ movedAt: moved }) => now - moved <= LATELY).length;
  const twice = raise(0, lately, 1);
  const mayFour = twice === lately && minutes >= 4 * configuredMinutes;
  const fourTimes = mayFour ? raise(0, lately, 2) : 0;
  const last = twice === lately ? raise(lately, half, 1) : twice;
  const [fourTimesFrom, twiceFrom] = [ranked[fourTimes - 1]?.rank, ranked[last - 1]?.rank];
  const halfBefore = half === ranked.length ? undefined : ranked[half - 1]?.rank;
  return {
    minutes,
    ...defined({ fourTimesFrom, twiceFrom, halfBefore }),
  };
}

/** Minutes between two polls of a contract. */
export function cadenceAt(pace: Pace, record: ContractRecord): number {
  const { minutes, fourTimesFrom, twiceFrom, halfBefore } = pace;
  // Polling some contracts less often only makes sense if others are polled more often.
  if (twiceFrom === undefined) return minutes;
  const rank = rankOf(record);
  if (fourTimesFrom !== undefined && rank >= fourTimesFrom) return minutes / 4;
  if (rank >= twiceFrom) return minutes / 2;
  return halfBefore !== undefined && rank < halfBefore ? minutes * 2 : minutes;
}

/**
 * Orders contracts by last move, then by address. The rank is a short text, because up to three
 * ranks are stored for each tenant.
 */
function rankOf(record: ContractRecord): string {
  return `${movedAt(record).toString(36).padStart(8, '0')}${record.contract.slice(-8)}`;
}

/** When a price of the contract last changed; 0 if no price ever did. */
function movedAt(record: ContractRecord): Instant {
  const { accepted } = record.timeline;
  const moves = seriesIn(record).flatMap(([series]) => {
    const point = newestOf(record, series);
    if (point === undefined) return [];
    const before =
      series === 'floor' ? accepted.findLast(({ time }) => time < point.time) : undefined;
    const isSame = point.kind === 'price' && before?.price === point.price;
    return [isSame && before ? before.time : point.time];
  });
  return Math.max(0, ...moves);
}

function carries(room: PollCost, cost: PollCost): boolean {
  return cost.calls <= room.calls && cost.units <= room.units;
}

function plus(one: PollCost, other: PollCost): PollCost {
  return { calls: one.calls + other.calls, units: one.units + other.units };
}

function times({ calls, units }: PollCost, factor: number): PollCost {
  return { calls: calls * factor, units: units * factor };
}
