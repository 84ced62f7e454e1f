import { defined } from '#shared/domain/defined.ts';
import { HOUR, type Instant } from '#shared/domain/market/instant.ts';
import { type ContractRecord, newestOf, partsOf } from './contract-record.ts';

/**
 * How often the contracts of a tenant are polled. Where its share does not carry the configured
 * cadence, those that moved last are polled more often, as far as the share does carry, and those that
 * stand still pay for it: a floor that has moved moves again sooner than one that has not. How near a
 * threshold is says next to nothing beside that: floors jump.
 */
export type Pace = {
  /** Minutes between two polls of a contract. */
  readonly minutes: number;
  /** From this rank on a contract is polled four times as often. */
  readonly fourTimesFrom?: string | undefined;
  /** From this rank on a contract is polled twice as often. */
  readonly twiceFrom?: string | undefined;
  /** Before this rank it is polled half as often. */
  readonly halfBefore?: string | undefined;
};

/** A contract with what a poll of it costs its tenant. */
export type Polled = { readonly record: ContractRecord; readonly cost: PollCost };

/** By rate, and by budget. */
export type PollCost = { readonly calls: number; readonly units: number };

/** What moved within so long is worth that others are polled less often for it. */
const LATELY = 2 * HOUR;
/** What has not moved for so long is polled less often, for others that have. */
const STILL = 12 * HOUR;
/** Of what a share carries beyond its cadence, a tenth is left for parts that are asked again. */
const SPENT = 0.9;

/**
 * The pace of a tenant's contracts at a cadence, and with what its share carries beyond that: so much
 * more per cadence. None is polled more often than configured, or less than half as often as the
 * cadence says.
 */
export function paceOf(
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
  /** Gives the contracts in `[from, to)` so many more polls per cadence; returns the first that has none. */
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
  // Without contracts that are polled more often none is polled less.
  if (twiceFrom === undefined) return minutes;
  const rank = rankOf(record);
  if (fourTimesFrom !== undefined && rank >= fourTimesFrom) return minutes / 4;
  if (rank >= twiceFrom) return minutes / 2;
  return halfBefore !== undefined && rank < halfBefore ? minutes * 2 : minutes;
}

/** By its last move and, of one moment, by its address: short, since the cadences have three a tenant. */
function rankOf(record: ContractRecord): string {
  return `${movedAt(record).toString(36).padStart(8, '0')}${record.contract.slice(-8)}`;
}

/** When a price of it last became another; 0 where none ever did. */
function movedAt(record: ContractRecord): Instant {
  const { accepted } = record.timeline;
  const moves = partsOf(record).flatMap(([part]) => {
    const point = newestOf(record, part);
    if (point === undefined) return [];
    const before =
      part === 'floor' ? accepted.findLast(({ time }) => time < point.time) : undefined;
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
