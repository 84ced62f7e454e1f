import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { Series } from '#shared/domain/metrics/prices.ts';

/** Why an episode ends that has not recovered. */
export type Closing = 'changed' | 'paused' | 'removed' | 'expired';

/** The prices behind a value, and where its window ends. */
type Measured = { readonly known: Series; readonly windowEnd: Instant };

/** What moved a watch, for the text of its alert. */
export type Cause = Measured & {
  /** The data time. */
  readonly time: Instant;
  /** What was known just before, if that is worth telling. */
  readonly before?: Measured;
  /** The suspect that a floor has decided on, and the price that stood meanwhile. */
  readonly heldBack?: {
    readonly outlier: PricePoint;
    readonly stood: PricePoint;
    readonly isConfirmed: boolean;
  };
  readonly late: boolean;
  readonly now: Instant;
  /** All recorded prices since the episode began. */
  readonly all: Series;
  /** Of a metric of the clock, its value. */
  readonly clock?: Decimal;
  /** Why an episode is closed: not by a price. */
  readonly closing?: Closing;
  /** Why there has never been a value, as the health of the watch has it. */
  readonly noValue?: { readonly why: string; readonly isAnyReported: boolean };
};
