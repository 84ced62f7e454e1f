import { defined } from '#shared/domain/defined.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import type { FloorQuery } from '#shared/domain/market/upstream.ts';
import { MOST_FLOORS } from '#shared/domain/timeline/append-poll.ts';
import type { PricePage } from './floor-pages.ts';

/** The known floors of a contract from before its first poll, and those that are still needed. */
export type BackfillState = {
  /** Length of the known past, in milliseconds before polling began. */
  readonly known?: number;
  /** Length of the past that windows need, in milliseconds; absent once this past is known. */
  readonly requested?: number;
  /** The recorded floors are complete from this time on. Before it there may be a long gap. */
  readonly since?: Instant;
  /** The next page of a backfill in progress. */
  readonly next?: FloorQuery;
};

/** Past floors to fetch, back to `start`. */
export type BackfillTask = {
  /** Length of the known past once the task is done, in milliseconds. */
  readonly window: number;
  readonly start: Instant;
  /**
   * The page at which an earlier poll stopped. Without it, the task begins after the page that was
   * just reported.
   */
  readonly next?: FloorQuery;
};

/** Progress of a `BackfillTask` after a poll. */
export type Filling = {
  readonly window: number;
  /** Whether the start was reached, or the provider has no older floors. */
  readonly isDone: boolean;
  /**
   * The floors from this time to `newest` are complete. Undefined if the provider has no older
   * floors.
   */
  readonly since: Instant | undefined;
  readonly newest: Instant;
  readonly next?: FloorQuery;
};

/**
 * The past that a poll fetches in addition to its answer: the floors that windows need. If an
 * answer has more new floors than can be evaluated, the poll also fetches the floors since the last
 * known one. Windows need these floors, too, and each of these floors may have interrupted a
 * wait, such as that of `for`.
 */
export function backfillTask(
  past: BackfillState | undefined,
  last: Point | undefined,
  { points, next }: PricePage,
): BackfillTask | undefined {
  if (next === undefined) return undefined;
  const window = furthest(past);
  const start = next.askedAt - window;
  if (last !== undefined && newFloors(points, last).length > MOST_FLOORS) {
    return { window, start: Math.min(start, last.time) };
  }
  if (past?.requested === undefined) return undefined;
  return { window: past.requested, start, ...defined({ next: past.next }) };
}

/**
 * The new floors of an answer: floors that are later than the last known floor, or that have the
 * same time and another value, because providers revise floors. In the first answer only the newest
 * floor is new, because the others are from before the watch.
 */
export function newFloors(
  points: readonly PricePoint[],
  last: Point | undefined,
): readonly PricePoint[] {
  const ascending = points.toSorted((a, b) => a.time - b.time);
  if (last === undefined) return ascending.slice(-1);
  return ascending.filter(
    (point) => point.time > last.time || (point.time === last.time && !sameFloor(point, last)),
  );
}

/** The past after a gap: all floors of the windows are fetched again. */
export function pastFrom(past: BackfillState | undefined, since: Instant): BackfillState {
  const window = furthest(past);
  return { since, ...(window === 0 ? {} : { requested: window }) };
}

/**
 * The past after floors were fetched. A part that is still missing remains requested. `before` is
 * the state before the answer.
 */
export function filled(
  past: BackfillState = {},
  { window, isDone, since: oldest, newest, next }: Filling,
  before: { readonly past?: BackfillState | undefined; readonly last?: Point | undefined },
): BackfillState {
  const { known: reached, requested: asked, since: missing, next: _next, ...rest } = past;
  // The fetched floors end before `missing`, so they do not close the gap before it.
  if (missing !== undefined && newest < missing) return past;
  const isJoined = before.last !== undefined && (oldest ?? 0) <= before.last.time;
  const from = earlier(isJoined ? before.past?.since : missing, oldest);
  const known = isDone ? Math.max(reached ?? 0, window) : reached;
  const requested = asked !== undefined && asked > (known ?? 0) ? asked : undefined;
  return {
    ...rest,
    ...(known === undefined || known === 0 ? {} : { known }),
    ...defined({ requested, since: from }),
    ...(requested === undefined || next === undefined ? {} : { next }),
  };
}

/**
 * The earlier of two times from which floors are complete; undefined if no floor was ever missing.
 */
function earlier(left: Instant | undefined, right: Instant | undefined): Instant | undefined {
  return left === undefined || right === undefined ? undefined : Math.min(left, right);
}

function furthest({ known = 0, requested = 0 }: BackfillState = {}): number {
  return Math.max(known, requested);
}

function sameFloor(point: PricePoint, last: Point): boolean {
  return (
    last.kind === 'price' &&
    point.price === last.price &&
    point.currency === last.currency &&
    point.usd === last.usd
  );
}
