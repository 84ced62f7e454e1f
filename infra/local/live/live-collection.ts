import type { Instant } from '#shared/domain/market/instant.ts';

/** A collection as the first screen shows it. */
export type LiveCollection = {
  readonly name: string;
  readonly contract: string;
  readonly unit: string;
  /** Null if nothing is listed. */
  readonly floor: string | null;
  /** The floors of the last day, and the change since its first in percent; null if none is known. */
  readonly day: {
    readonly low: string;
    readonly high: string;
    readonly changePercent: string;
  } | null;
  /** The cheapest sale of a week; null if there is none, or too many to read at once. */
  readonly lowestSale: { readonly price: string; readonly time: Instant } | null;
  /** Where alerts are: `below 9.5`. */
  readonly lines: readonly string[];
};
