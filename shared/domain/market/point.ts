import type { Decimal } from './decimal.ts';
import type { Instant } from './instant.ts';
import type { Provider } from './provider.ts';

/** One thing asked of the upstream for a contract; each has its own outcome and last value. */
export type Part = 'floor' | `lowest.${number}d`;

/** The days a lowest price may look back. */
export const LOOK_BACK_DAYS = [1, 7, 30, 90] as const;
export const PARTS: readonly Part[] = [
  'floor',
  ...LOOK_BACK_DAYS.map((days): Part => `lowest.${days}d`),
];

/** How many days back a lowest trade is looked for; undefined for parts without a window. */
export function lookBackDays(part: Part): number | undefined {
  return part === 'floor' ? undefined : Number(part.slice('lowest.'.length, -1));
}

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
   * Of a recorded floor that was observed, what it was taken for: an outlier was held back until the
   * next; `alone` had nothing before it to be compared with.
   */
  readonly observedAs?: 'price' | 'outlier' | 'alone';
  /** Of an outlier that was confirmed: the time of the floor with which it came to be known. */
  readonly knownFrom?: Instant;
  /**
   * The provider of another origin that vouched for it: however far it is from the one before, it
   * counts.
   */
  readonly confirmedBy?: Provider;
  /** As a rule knows it that waits for a second source: it is not known. */
  readonly isWithheld?: true;
  /** Floors are missing before it: what held until its time is not known. */
  readonly isAfterGap?: true;
};

/** The knowledge that no trade is left in the window since `time`. Never a price. */
export type EmptyPoint = { readonly kind: 'empty'; readonly time: Instant };

export type Point = PricePoint | EmptyPoint;

/** An observation: an accepted point, with its number in the contract's order of acceptance. */
export type Observation = {
  readonly seq: number;
  readonly part: Part;
  readonly point: Point;
  /** The number of the first observation of the same poll. */
  readonly poll: number;
  /** The price before it, if there was one: a message's "was". */
  readonly previous?: PricePoint;
  /** Of a floor that is an outlier: the price that stands until another confirms it. */
  readonly standing?: PricePoint;
  /** What stood until it came, where `previous` is an outlier that nothing had confirmed. */
  readonly stood?: PricePoint;
  /** The outlier that it confirms or contradicts, as a rule sees it that has waited for that. */
  readonly heldBack?: PricePoint;
};
