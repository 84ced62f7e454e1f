import type { Instant } from '#shared/domain/market/instant.ts';
import { DAY } from '#shared/domain/market/instant.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import type { Measure } from '#shared/domain/metrics/prices.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import type { ReadStep } from '#shared/domain/timeline/timeline.ts';
import { floorsOf, measureAt, type Past } from './known-at-step.ts';
import { stepNow } from './snapshot.ts';

/** The spans over which a floor's changes are shown. */
type ChangeSpan = '1h' | '24h' | '7d';

/** The floor of a contract as rules use it, and its changes. */
export type FloorMoves = {
  /** The present floor; undefined if none is known. */
  readonly floor: PricePoint | undefined;
  readonly changes: Readonly<Record<ChangeSpan, Measure>>;
  /**
   * The last floor before the last day, and the floors of that day, oldest first. All are in the
   * currency of `floor`.
   */
  readonly lastDay: readonly PricePoint[];
};

/**
 * Computes the changes of a floor from the prices that rules use. `recorded` has the floor of a
 * week ago, the floor at the start of the last day, and all floors since then.
 */
export function floorMovesOf(
  record: ContractRecord,
  recorded: readonly PricePoint[],
  now: Instant,
): FloorMoves {
  const past: Past = { recorded: new Map([['floor', recorded]]), since: record.past?.since };
  const known = floorsOf(past, 'floor');
  const present = stepNow(record, now);
  // Before its first poll, a contract may have imported floors.
  const latest = present.reading.floor ?? known.at(-1);
  const step = latest === undefined ? present : withFloor(present, latest);
  const floor = latest?.kind === 'price' ? latest : undefined;
  const before = known.filter(({ time }) => time < (floor?.time ?? now));
  const floors = floor === undefined ? before : [...before, floor];
  const unit = floor?.currency ?? '';
  const changeIn = (span: ChangeSpan) =>
    measureAt({ metric: `floor_change_pct.${span}`, unit }, step, past, 'floor');
  const start = floors.findLastIndex(({ time }) => time <= now - DAY);
  return {
    floor,
    changes: { '1h': changeIn('1h'), '24h': changeIn('24h'), '7d': changeIn('7d') },
    lastDay: floors.slice(Math.max(0, start)).filter(({ currency }) => currency === unit),
  };
}

function withFloor(step: ReadStep, floor: Point): ReadStep {
  return { ...step, reading: { ...step.reading, floor } };
}
