import { createHash } from 'node:crypto';
import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';

/** What is known of an email address that a tenant has had asked whether it wants alerts. */
export type AskedAddress = {
  readonly tenant: string;
  readonly address: string;
  readonly version: number;
  /** No list of the tenant asks the address before then. */
  readonly notBefore: Instant;
  /** Whether it has ever confirmed. */
  readonly isConfirmed: boolean;
};

/** An ask under way has ended by then, or has crashed. */
const ASKING_LASTS = 5 * MINUTE;
/** A stranger gets one mail in so long, however many lists name them, and however often. */
const STRANGER_WAITS = 8 * HOUR;
/** The owner has confirmed once, so each further list may ask. */
const FRIEND_WAITS = MINUTE;

/** An address that is about to be asked; undefined where it has just been. */
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

/** What is known of it once it was asked. */
export function unconfirmed(known: AskedAddress, now: Instant): AskedAddress {
  return known.isConfirmed ? known : { ...known, notBefore: now + STRANGER_WAITS };
}

/** What is known of it once it has confirmed: it may be asked for other lists at once. */
export function confirmed(known: AskedAddress, now: Instant): AskedAddress {
  return { ...known, notBefore: now, isConfirmed: true };
}

/** Identifies an address without revealing it. */
export function hashOfAddress(address: string): string {
  return createHash('sha256').update(address).digest('hex');
}
