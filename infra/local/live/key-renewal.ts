import { DAY, HOUR, type Instant } from '#shared/domain/market/instant.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import type { InstantKey } from '#shared/providers/opensea/answers.ts';

/** A key is replaced when its remaining lifetime is shorter than this. */
export const LEAST_OF_KEY = DAY;

export type KeyRenewalPorts = {
  readonly now: () => Instant;
  readonly make: () => Promise<Outcome<InstantKey>>;
  /** Makes all further calls use the new key. */
  readonly use: (key: InstantKey) => Promise<void>;
};

/**
 * Replaces the key of a run in its last day. OpenSea creates only a few keys an hour for an IP
 * address. So there is one attempt an hour: twenty-four attempts before the key expires.
 */
export function createKeyRenewal(first: InstantKey, { now, make, use }: KeyRenewalPorts) {
  let key = first;
  let nextTry = 0;
  return async (): Promise<void> => {
    if (key.endsAt - now() >= LEAST_OF_KEY || now() < nextTry) return;
    nextTry = now() + HOUR;
    const made = await make();
    if (made.kind !== 'ok') return;
    key = made.value;
    await use(key);
  };
}
