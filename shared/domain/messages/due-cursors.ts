import type { Instant } from '#shared/domain/market/instant.ts';

/** Where a page of due items ended. */
type DuePosition = { readonly pk: string; readonly sk: string; readonly dueAt: Instant };

/** Where the next tick continues, by shard: only shards with more due items than a tick takes. */
export type DueCursors = Readonly<Record<string, DuePosition>>;

/** How many due items one reading of a shard reports. */
export type DueLimits = {
  readonly oldest: number;
  /** The number of younger items. */
  readonly behind: number;
};
