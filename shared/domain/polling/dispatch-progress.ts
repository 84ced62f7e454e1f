import { type Instant, MINUTE, type Minute } from '#shared/domain/market/instant.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { TenantSpending } from './tenant-shares.ts';

/** Where a page of what is due ended. */
type DuePosition = { readonly pk: string; readonly sk: string; readonly dueAt: Instant };

/** Where the next tick goes on, by shard: of those that have more due than a tick takes. */
export type DueCursors = Readonly<Record<string, DuePosition>>;

/** How far the dispatcher has come. */
export type DispatchProgress = {
  readonly version: number;
  /** When the last tick sent its polls. */
  readonly tickedAt: Instant;
  /** The last minute whose polls were all sent; unchanged while polls are stopped. */
  readonly polledUntil: Minute;
  /** The provider that the last tick planned for, where the first could not be asked. */
  readonly standsIn?: Provider | undefined;
  /** What polls have cost each tenant; absent before the first. */
  readonly spending?: TenantSpending | undefined;
  /** How far it has come with timers, where there are more than it takes at once. */
  readonly dueCursors: DueCursors;
};

/** Milliseconds without a round before it is a trouble: a tick may be missed, and a round be long. */
export const LATE_AFTER = 5 * MINUTE;

/** How many due items one reading of a shard reports. */
export type DueLimits = {
  readonly oldest: number;
  /** Of those behind the oldest. */
  readonly behind: number;
};
