import { createHash } from 'node:crypto';
import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';

/** An email address to which a confirmation request of a tenant was sent. */
export type AskedAddress = {
  readonly tenant: string;
  readonly address: string;
  readonly version: number;
  /** No list of the tenant may send another request before this time. */
  readonly notBefore: Instant;
  /** Whether the address has ever confirmed a request. */
  readonly isConfirmed: boolean;
};

/** Time after which the function that sends a request has certainly completed or crashed. */
const ASKING_LASTS = 5 * MINUTE;
/** Minimum time between requests to an unconfirmed address, for all lists of a tenant together. */
const STRANGER_WAITS = 8 * HOUR;
/** Minimum time between requests to a confirmed address. */
const FRIEND_WAITS = MINUTE;

/** The record to store before a request is sent; undefined if the last request was too recent. */
export function asking(
  known: AskedAddress | Pick<AskedAddress, 'tenant' | 'address'>,
  now: Instant,
): AskedAddress | undefined {
  const { tenant, address } = known;
  const before = 'version' in known ? known : { version: 0, notBefore: 0, isConfirmed: false };
  if (now < before.notBefore) return undefined;
  const wait = before.isConfirmed ? FRIEND_WAITS : ASKING_LASTS;
  return { ...before, tenant, address, notBefore: now + wait };
}

/**
 * After a request was sent, postpones the next one if the address has never confirmed a request.
 */
export function unconfirmed(known: AskedAddress, now: Instant): AskedAddress {
  return known.isConfirmed ? known : { ...known, notBefore: now + STRANGER_WAITS };
}

/** The record after a confirmation. Other lists may send requests immediately. */
export function confirmed(known: AskedAddress, now: Instant): AskedAddress {
  return { ...known, notBefore: now, isConfirmed: true };
}

/** Identifies an address without revealing it. */
export function hashOfAddress(address: string): string {
  return createHash('sha256').update(address).digest('hex');
}
