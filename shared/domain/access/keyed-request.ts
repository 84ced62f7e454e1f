import type { Instant } from '#shared/domain/market/instant.ts';

/** The `Idempotency-Key` of a request: a String of HTTP structured fields (RFC 9651). */
export const IDEMPOTENCY_KEY = /^ *"((?:[ !#-[\]-~]|\\["\\]){1,255})" *$/;

/** A request with an `Idempotency-Key` and its answer, written in the transaction of its change. */
export type KeyedRequest = {
  readonly tenant: string;
  readonly hash: string;
  /**
   * The version that the write replaces: that of an expired request with the same key, or else 0.
   */
  readonly version: number;
  /** A hash of the request. */
  readonly fingerprint: string;
  readonly at: Instant;
  readonly answer: KeptAnswer;
};

/** The stored answer, which is returned again when the request is repeated. */
export type KeptAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
