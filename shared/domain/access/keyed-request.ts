import type { Instant } from '#shared/domain/market/instant.ts';

/** The `Idempotency-Key` of a request: a string of structured fields (RFC 9651). */
export const IDEMPOTENCY_KEY = /^ *"((?:[ !#-[\]-~]|\\["\\]){1,255})" *$/;

/** A request with an `Idempotency-Key` and its answer, written in the transaction of its change. */
export type KeyedRequest = {
  readonly tenant: string;
  /** The hash of the key. */
  readonly hash: string;
  /** The version that it replaces: 0, or that of an expired request with the same key. */
  readonly version: number;
  /** Identifies the request. */
  readonly fingerprint: string;
  readonly at: Instant;
  readonly answer: KeptAnswer;
};

/** An answer that is repeated. */
export type KeptAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
