import type { Instant } from '#shared/domain/market/instant.ts';

/** The last due item that a page returned, after which the next page begins. */
type DuePosition = { readonly pk: string; readonly sk: string; readonly dueAt: Instant };

/**
 * The position, by shard, after which the next tick continues. A shard has a position only if it
 * has more due items than one tick processes.
 */
export type DueCursors = Readonly<Record<string, DuePosition>>;

/** Maximum numbers of due items that a tick reads from a shard: the oldest ones, and others. */
export type DueLimits = {
  readonly oldest: number;
  /** Maximum number of other due items, read from the shard's position on. */
  readonly behind: number;
};
