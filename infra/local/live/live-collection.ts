import type { Instant } from '#shared/domain/market/instant.ts';

/** A collection as it is printed at the start. */
export type LiveCollection = {
  readonly name: string;
  readonly contract: string;
  readonly unit: string;
  /** Null if nothing is listed. */
  readonly floor: string | null;
  /** The floors of the last day, and their change in percent; null without any floor. */
  readonly day: {
    readonly low: string;
    readonly high: string;
    readonly changePercent: string;
  } | null;
  /**
   * The cheapest sale of a week; null if there is none, or if there are too many to read in one
   * call.
   */
  readonly lowestSale: { readonly price: string; readonly time: Instant } | null;
  /** The thresholds of its alerts, such as `below 9.5`. */
  readonly lines: readonly string[];
};
