import type { Instant } from '#shared/domain/market/instant.ts';

/** The `Idempotency-Key` of a request: a string of structured fields (RFC 9651). */
export const IDEMPOTENCY_KEY = /^ *"((?:[ !#-[\]-~]|\\["\\]){1,255})" *$/;

/** A request with an `Idempotency-Key` and its answer, written in the transaction of its change. */
export type KeyedRequest = {
  readonly tenant: string;
  readonly hash: string;
  /** The version to replace: 0, or that of an expired request with the same key. */
  readonly version: number;
  /** A hash of the request. */
  readonly fingerprint: string;
  readonly at: Instant;
  readonly answer: KeptAnswer;
};

/** The stored answer, which repeated requests get. */
export type KeptAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
