import { defined } from '#shared/domain/defined.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import type { FloorQuery } from '#shared/domain/market/upstream.ts';
import { MOST_FLOORS } from '#shared/domain/timeline/append-poll.ts';
import type { PricePage } from './floor-pages.ts';

/** What is known of a contract's floors from before they were observed. */
export type Past = {
  /** How far back they are known, in milliseconds before the watch for them began. */
  readonly known?: number;
  /** How far back windows look; absent where that is known. */
  readonly wanted?: number;
  /** Since when none is missing. What is recorded of the time before may end long before it. */
  readonly since?: Instant;
  /** Where the filling goes on that is under way. */
  readonly next?: FloorQuery;
};

/** What is to be fetched of the past: down to some moment, and where that begins. */
export type PastTask = {
  /** How far back the floors are known when it is done. */
  readonly window: number;
  readonly start: Instant;
  /**
   * Where an earlier poll has come to; from the page that was just reported, where it is absent.
   */
  readonly next?: FloorQuery;
};

/** How far a task has come. */
export type Filling = {
  readonly window: number;
  /** Whether the start was reached, or there is nothing more. */
  readonly isDone: boolean;
  /**
   * From where on none is missing up to the newest of them; undefined where nothing more is
   * reported.
   */
  readonly since: Instant | undefined;
  readonly newest: Instant;
  readonly next?: FloorQuery;
};

/**
 * The past that a poll fetches beside its answer: the floors of windows, and, if too many floors are
 * new to be evaluated, those between: windows need them, and a wait may have ended in them.
 */
export function pastTask(
  past: Past | undefined,
  last: Point | undefined,
  { points, next }: PricePage,
): PastTask | undefined {
  if (next === undefined) return undefined;
  const window = furthest(past);
  const start = next.askedAt - window;
  if (last !== undefined && newFloors(points, last).length > MOST_FLOORS) {
    return { window, start: Math.min(start, last.time) };
  }
  if (past?.wanted === undefined) return undefined;
  return { window: past.wanted, start, ...defined({ next: past.next }) };
}

/**
 * The new floors of an answer: later than the last, or of its time with another value, since vendors
 * revise. Of the first answer only the newest: earlier ones happened before anyone watched.
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
export function pastFrom(past: Past | undefined, since: Instant): Past {
  const window = furthest(past);
  return { since, ...(window === 0 ? {} : { wanted: window }) };
}

/**
 * The past with what was fetched of it; what is wanted beyond that stays wanted. `before` is what
 * was known before the answer.
 */
export function filled(
  past: Past = {},
  { window, isDone, since: oldest, newest, next }: Filling,
  before: { readonly past?: Past | undefined; readonly last?: Point | undefined },
): Past {
  const { known: reached, wanted: asked, since: missing, next: _next, ...rest } = past;
  // Where something is missing behind the newest of it, what was fetched says nothing of that.
  if (missing !== undefined && newest < missing) return past;
  const isJoined = before.last !== undefined && (oldest ?? 0) <= before.last.time;
  const from = earlier(isJoined ? before.past?.since : missing, oldest);
  const known = isDone ? Math.max(reached ?? 0, window) : reached;
  const wanted = asked !== undefined && asked > (known ?? 0) ? asked : undefined;
  return {
    ...rest,
    ...(known === undefined || known === 0 ? {} : { known }),
    ...defined({ wanted, since: from }),
    ...(wanted === undefined || next === undefined ? {} : { next }),
  };
}

/** The earlier of two moments since when nothing is missing; undefined where nothing ever was. */
function earlier(left: Instant | undefined, right: Instant | undefined): Instant | undefined {
  return left === undefined || right === undefined ? undefined : Math.min(left, right);
}

function furthest({ known = 0, wanted = 0 }: Past = {}): number {
  return Math.max(known, wanted);
}

function sameFloor(point: PricePoint, last: Point): boolean {
  return (
    last.kind === 'price' &&
    point.price === last.price &&
    point.currency === last.currency &&
    point.usd === last.usd
  );
}
