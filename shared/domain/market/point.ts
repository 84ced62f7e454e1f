import type { Decimal } from './decimal.ts';
import type { Instant } from './instant.ts';
import type { Provider } from './provider.ts';

/** A reported price and its time. */
export type PricePoint = {
  readonly kind: 'price';
  /** The time for rules: the time of the data, or the time of the answer if the data has none. */
  readonly time: Instant;
  readonly price: Decimal;
  readonly currency: string;
  readonly usd?: Decimal;
  /** The marketplaces of a floor, or the transaction of a trade. */
  readonly source?: string;
  /** The marketplaces of an imported floor, in the format of the v2.2 interface. */
  readonly marketplaces?: readonly { readonly name: string; readonly logo: string }[];
  /** The time of the trade, which determines when it leaves its window. */
  readonly tradedAt?: Instant;
  /**
   * For a floor that a poll observed: whether rules use it as a price, or it is withheld as a
   * possible glitch. Undefined for imported and backfilled floors.
   */
  readonly observedAs?: 'price' | 'suspect';
  /**
   * A provider with another origin that confirmed the floor. A confirmed floor is used as a price
   * even if it is far from the previous floor.
   */
  readonly confirmedBy?: Provider;
  /** Set if only one source reports the price although the rule requires a second one. */
  readonly isWithheld?: true;
  /**
   * Set if floors are missing before this one, so that the price just before its time is unknown.
   */
  readonly isAfterGap?: true;
};

/** A report that since `time` the window contains no trade. It never counts as a price. */
export type EmptyPoint = { readonly kind: 'empty'; readonly time: Instant };

export type Point = PricePoint | EmptyPoint;
