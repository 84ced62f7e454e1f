import type { Instant } from '#shared/domain/market/instant.ts';
import type { UpstreamCall } from '#shared/domain/market/operations.ts';
import type { Skipped } from '#shared/domain/market/skipped.ts';
import type { Outcome, Refusal } from '#shared/domain/market/upstream.ts';
import {
  type CallReservation,
  isMissed,
  type ReservedCall,
} from '#shared/domain/polling/reserved-call.ts';
import { countingRequests } from './request-count.ts';

/** The steps of every upstream call: reserve it, wait for its slot, report the outcome. */
export type RateLimitedCalls = {
  readonly now: () => Instant;
  readonly sleepUntil: (instant: Instant, signal: AbortSignal) => Promise<void>;
  /**
   * Reserves several calls at once. Each entry lists the alternatives for one call, the best first.
   */
  readonly reserveCalls: (ways: readonly (readonly UpstreamCall[])[]) => Promise<CallReservation>;
  readonly learnOfCall: (
    call: UpstreamCall,
    outcome: Refusal | { readonly kind: 'ok' },
    probe: boolean,
    requests: number,
  ) => Promise<void>;
};

/** A call to the provider, with its outcome. */
export type MadeCall<Value> = {
  readonly call: UpstreamCall;
  readonly askedAt: Instant;
  readonly outcome: Outcome<Value>;
  /** The skipped records of the answer. */
  readonly skipped: Skipped;
};

/** No call was reserved; none is available before `until`. */
type NoCapacity = { readonly call?: undefined; readonly until: Instant };

/** Makes a call in its slot; undefined if the slot was missed, so no call was made. */
export async function makeReservedCall<Value>(
  rateLimited: RateLimitedCalls,
  reserved: ReservedCall,
  make: (askedAt: Instant) => Promise<Outcome<Value>>,
  signal: AbortSignal,
): Promise<MadeCall<Value> | undefined> {
  const { call, callAt, probe } = reserved;
  await rateLimited.sleepUntil(callAt, signal);
  const askedAt = rateLimited.now();
  if (isMissed(reserved, askedAt)) return undefined;
  const { value: outcome, requests, skipped } = await countingRequests(() => make(askedAt));
  await rateLimited.learnOfCall(call, outcome, probe, requests);
  return { call, askedAt, outcome, skipped };
}

/**
 * Reserves the first available alternative of a call, and makes the call in its slot.
 *
 * Makes no call if no slot is available, or if the slot is too late for the caller.
 */
export async function callOnce<Value>(
  rateLimited: RateLimitedCalls,
  ways: readonly UpstreamCall[],
  make: (call: UpstreamCall, askedAt: Instant) => Promise<Outcome<Value>>,
  signal: AbortSignal,
  isInTime: (callAt: Instant) => boolean = () => true,
): Promise<MadeCall<Value> | NoCapacity> {
  const reservation = await rateLimited.reserveCalls([ways]);
  if (!reservation.granted) return { until: reservation.until };
  const [reserved] = reservation.calls;
  if (reserved === undefined || !isInTime(reserved.callAt)) return { until: rateLimited.now() };
  const { call } = reserved;
  const made = await makeReservedCall(
    rateLimited,
    reserved,
    (askedAt) => make(call, askedAt),
    signal,
  );
  return made ?? { until: rateLimited.now() };
}
