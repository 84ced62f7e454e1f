import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { Series } from '#shared/domain/metrics/prices.ts';

/** Why an episode is closed without a recovery. */
export type Closing = 'changed' | 'paused' | 'removed' | 'expired';

/** The prices from which a value is computed, and the end of its window. */
type Measured = { readonly known: Series; readonly windowEnd: Instant };

/** The reason why a watch changed, for the text of its alert. */
export type Cause = Measured & {
  /** The data time. */
  readonly time: Instant;
  /** The prices before this change; absent if the alert has no earlier value to report. */
  readonly before?: Measured;
  /**
   * Set if this floor confirms or refutes a suspect: the suspect (`outlier`), and the price that
   * rules used instead of it (`stood`).
   */
  readonly heldBack?: {
    readonly outlier: PricePoint;
    readonly stood: PricePoint;
    readonly isConfirmed: boolean;
  };
  readonly late: boolean;
  readonly now: Instant;
  /** All recorded prices since the episode began. */
  readonly all: Series;
  /** The value of a clock metric. */
  readonly clock?: Decimal;
  /** Why an episode is closed without a price. */
  readonly closing?: Closing;
  /** Why there has never been a value, from the health of the watch. */
  readonly noValue?: { readonly why: string; readonly isAnyReported: boolean };
};
