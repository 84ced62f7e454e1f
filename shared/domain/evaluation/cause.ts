import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { Series } from '#shared/domain/metrics/prices.ts';

/** Why an episode ends that has not recovered. */
export type Closing = 'changed' | 'paused' | 'removed' | 'expired';

/** A cause that may move a watch: an observation, a window expiry, or a timer. */
export type Cause = {
  /** The data time of it. */
  readonly time: Instant;
  /** What was known at that time. */
  readonly known: Series;
  /** What was known just before, where that is worth telling. */
  readonly before?: { readonly known: Series; readonly time: Instant };
  /** Whether it revises a point that was evaluated before. */
  readonly isRevision?: boolean;
  /**
   * Whether the price is the one that it was: only a window has moved, or a price was reported
   * again.
   */
  readonly isStill?: boolean;
  /** The floor that it confirms or contradicts: an outlier, and the price that stood meanwhile. */
  readonly heldBack?: { readonly outlier: PricePoint; readonly stood: PricePoint };
  readonly late: boolean;
  readonly now: Instant;
  /** All that is known by now. */
  readonly all: Series;
  /** Of a metric of the clock, its value. */
  readonly clock?: Decimal;
  /** Why an episode is closed: not by a price. */
  readonly closing?: Closing;
  /** Why there has never been a value, as the health of the watch has it. */
  readonly noValue?: { readonly why: string; readonly isAnyReported: boolean };
};
