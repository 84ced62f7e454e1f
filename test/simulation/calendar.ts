import type { Instant } from '#shared/domain/market/instant.ts';

/** A period without ticks, polls and writes, in which only the market continues. */
export type Outage = { readonly from: Instant; readonly until: Instant };

/** Delays each instant after the start of the outage by the length of the outage. */
export type Calendar = (instant: Instant) => Instant;

export function createCalendar(outage: Outage | undefined): Calendar {
  if (outage === undefined) return (instant) => instant;
  const { from, until } = outage;
  return (instant) => (instant < from ? instant : instant + until - from);
}
