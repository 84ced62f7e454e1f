import type { Instant } from '#shared/domain/market/instant.ts';

/** The last item of a page of due items. */
type DuePosition = { readonly pk: string; readonly sk: string; readonly dueAt: Instant };

/**
 * The position, by shard, after which the next tick continues. Only shards with more due items than
 * one tick takes have one.
 */
export type DueCursors = Readonly<Record<string, DuePosition>>;

/** Maximum numbers of due items that a tick reads from a shard. */
export type DueLimits = {
  readonly oldest: number;
  /** The number of younger items. */
  readonly behind: number;
};
