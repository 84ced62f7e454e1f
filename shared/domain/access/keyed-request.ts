import type { Instant } from '#shared/domain/market/instant.ts';

/** The `Idempotency-Key` of a request: a string of structured fields (RFC 9651). */
export const IDEMPOTENCY_KEY = /^ *"((?:[ !#-[\]-~]|\\["\\]){1,255})" *$/;

/** A request that its sender may repeat, as it is known by the hash of its `Idempotency-Key`. */
export type KeyedRequest = {
  readonly tenant: string;
  readonly hash: string;
  readonly version: number;
  /** Identifies the request. */
  readonly fingerprint: string;
  /** When it was made first: whatever is made of it is made of this moment. */
  readonly at: Instant;
  /** Until when the running attempt holds it. */
  readonly until: Instant;
  /** What came of it. */
  readonly answer?: KeptAnswer | undefined;
};

/** An answer as it is given again. */
export type KeptAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
