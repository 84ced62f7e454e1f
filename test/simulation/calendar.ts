import type { Instant } from '#shared/domain/market/instant.ts';

/** Some time in which nothing is scheduled, polled or written; only the market goes on. */
export type Outage = { readonly from: Instant; readonly until: Instant };

/** The instant of a seed at which something happens that is due at an instant of a seed without an outage. */
export type Calendar = (instant: Instant) => Instant;

export function createCalendar(outage: Outage | undefined): Calendar {
  if (outage === undefined) return (instant) => instant;
  const { from, until } = outage;
  return (instant) => (instant < from ? instant : instant + until - from);
}
