import type { Decimal } from './decimal.ts';
import type { Instant } from './instant.ts';
import type { Provider } from './provider.ts';

/** A price at a moment, as some source reported it. */
export type PricePoint = {
  readonly kind: 'price';
  /** The moment that counts for rules: data time, never the time of the answer if the data has one. */
  readonly time: Instant;
  readonly price: Decimal;
  readonly currency: string;
  readonly usd?: Decimal;
  /** Its source: marketplaces of a floor, the transaction of a trade. */
  readonly source?: string;
  /** The marketplaces of an imported floor, as the interface has them. */
  readonly marketplaces?: readonly { readonly name: string; readonly logo: string }[];
  /** When the trade was made, which is what decides when it leaves its window. */
  readonly tradedAt?: Instant;
  /**
   * Of a recorded floor that a poll observed: whether it counts, or was held back as a possible
   * glitch.
   */
  readonly observedAs?: 'price' | 'suspect';
  /**
   * The provider of another origin that confirmed the floor. A confirmed floor counts, even if it is
   * far from the floor before.
   */
  readonly confirmedBy?: Provider;
  /** One source alone reports it: no price for a rule that waits for a second. */
  readonly isWithheld?: true;
  /** Floors are missing before it: what held until its time is not known. */
  readonly isAfterGap?: true;
};

/** The knowledge that no trade is left in the window since `time`. Never a price. */
export type EmptyPoint = { readonly kind: 'empty'; readonly time: Instant };

export type Point = PricePoint | EmptyPoint;
