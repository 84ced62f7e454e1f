import type { Instant } from '#shared/domain/market/instant.ts';

/** The last due item that a page returned, after which the next page begins. */
type DuePosition = { readonly pk: string; readonly sk: string; readonly dueAt: Instant };

/**
 * The position, by shard, after which the next tick continues. Only a shard with more due items
 * than one tick takes has a position.
 */
export type DueCursors = Readonly<Record<string, DuePosition>>;

/** Maximum numbers of due items that a tick reads from a shard. */
export type DueLimits = {
  readonly oldest: number;
  /** The number of items that are due but not among the oldest, read from the position on. */
  readonly behind: number;
};
