import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';

/** A tenant's usage of a limit. From `usedUntil` on, all units are available again. */
export type UsedUnits = { readonly version: number; readonly usedUntil: Instant };

export const UNUSED: UsedUnits = { version: 0, usedUntil: 0 };

/** The APIs, each with its own request limit. */
export type RequestPolicy = 'api' | 'nft-data';

/**
 * Units charged for a request, by the work that it causes. The size of a request and its answer,
 * and the number of contracts that a change affects, are known only at its end. Their units are
 * charged at that time and delay the next requests.
 */
export const REQUEST_UNITS = {
  api: { read: 1, readAllLists: 10, change: 10, affectedContract: 1, preview: 50 },
  'nft-data': { atHand: 1, asked: 10 },
} as const;
/** An additional unit is charged for this many bytes of a request and its answer. */
export const BYTES_OF_A_UNIT = 16 * 1024;

/** The usage after an attempt to take units, with the values for rate-limit headers. */
export type UnitsTaken = {
  readonly used: UsedUnits;
  readonly left: number;
  /** Seconds until all units are available again. */
  readonly allInSeconds: number;
  /**
   * Seconds until enough units are available. Set only if too few were left, so that none were
   * taken.
   */
  readonly enoughInSeconds?: number;
};

/**
 * Takes units from a limit per span, by default a minute. Used units are restored at an even rate,
 * and the units of a whole span may be used at once. A single time is therefore enough as state:
 * the time at which all units are available again.
 */
export function takeUnits(
  used: UsedUnits,
  units: number,
  unitsPerSpan: number,
  now: Instant,
  span = MINUTE,
): UnitsTaken {
  const before = Math.max(used.usedUntil, now);
  const after = before + (units * span) / unitsPerSpan;
  const isEnough = after <= now + span;
  const usedUntil = isEnough ? after : before;
  return {
    used: { ...used, usedUntil },
    left: Math.max(0, Math.floor(((now + span - usedUntil) * unitsPerSpan) / span)),
    allInSeconds: Math.ceil((usedUntil - now) / SECOND),
    ...(isEnough ? {} : { enoughInSeconds: Math.ceil((after - now - span) / SECOND) }),
  };
}

/**
 * Charges units for completed work, even if they exceed the limit. The debt is capped at one more
 * span, so that a limit delays a tenant but does not lock it out.
 */
export function chargeUnits(
  used: UsedUnits,
  units: number,
  unitsPerSpan: number,
  now: Instant,
  span = MINUTE,
): UsedUnits {
  const before = Math.max(used.usedUntil, now);
  const after = Math.min(before + (units * span) / unitsPerSpan, now + 2 * span);
  return { ...used, usedUntil: Math.max(before, after) };
}
