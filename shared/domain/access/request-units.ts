import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';

/** What a tenant has used of its limit: from then on nothing. */
export type UsedUnits = { readonly version: number; readonly usedUntil: Instant };

export const UNUSED: UsedUnits = { version: 0, usedUntil: 0 };

/** What a tenant's requests are counted by: each interface has a limit of its own. */
export type RequestPolicy = 'api' | 'nft-data';

/**
 * What a request takes from its tenant's limit: the more, the more work it makes. How long a request
 * and its answer are, and how many contracts a change is about, is known when it is done: it is owed
 * then, and the next requests wait for it.
 */
export const REQUEST_UNITS = {
  api: { read: 1, readAllLists: 10, change: 10, affectedContract: 1, preview: 50 },
  'nft-data': { atHand: 1, asked: 10 },
} as const;
/** A unit more is owed for each so many bytes of a request with its answer. */
export const BYTES_OF_A_UNIT = 16 * 1024;

/** Whether a request may be answered, and what is left afterwards. */
export type UnitsTaken = {
  readonly used: UsedUnits;
  readonly left: number;
  /** When all units are there again. */
  readonly allInSeconds: number;
  /** Only where they did not suffice, and nothing was taken: when they will. */
  readonly enoughInSeconds?: number;
};

/**
 * Takes units of a limit for each span, a minute unless given otherwise. They come back evenly, and
 * those of a whole span may be used at once. So the state is one moment: when all are available
 * again.
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
 * Takes units for work that is done already, also where they are not there any more. What is owed is
 * never more than another span's: a limit delays, and does not shut out.
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
