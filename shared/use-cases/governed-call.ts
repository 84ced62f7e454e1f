import type { Instant } from '#shared/domain/market/instant.ts';
import type { UpstreamCall } from '#shared/domain/market/operations.ts';
import type { Skipped } from '#shared/domain/market/skipped.ts';
import type { Outcome, Refusal } from '#shared/domain/market/upstream.ts';
import { type CallLease, isMissed, type LeasedCall } from '#shared/domain/polling/leased-call.ts';
import { countingRequests } from './request-count.ts';

/** Every call of the upstream: takes a lease, waits for its slot, reports the outcome. */
export type GovernedCalls = {
  readonly now: () => Instant;
  readonly sleepUntil: (instant: Instant, signal: AbortSignal) => Promise<void>;
  /** One lease for several calls. Each entry lists the ways to make one call, the best first. */
  readonly leaseCalls: (ways: readonly (readonly UpstreamCall[])[]) => Promise<CallLease>;
  readonly learnOfCall: (
    call: UpstreamCall,
    outcome: Refusal | { readonly kind: 'ok' },
    probe: boolean,
    requests: number,
  ) => Promise<void>;
};

/** A call of the provider, with its outcome. */
export type MadeCall<Value> = {
  readonly call: UpstreamCall;
  readonly askedAt: Instant;
  readonly outcome: Outcome<Value>;
  /** The records of the answer that were left out. */
  readonly skipped: Skipped;
};

/** No call was made; before `until` there is none. */
type NoSlot = { readonly call?: undefined; readonly until: Instant };

/** Makes a call in its slot; undefined when the slot was missed: then there is no call. */
export async function callInSlot<Value>(
  governed: GovernedCalls,
  leased: LeasedCall,
  make: (askedAt: Instant) => Promise<Outcome<Value>>,
  signal: AbortSignal,
): Promise<MadeCall<Value> | undefined> {
  const { call, slot, probe } = leased;
  await governed.sleepUntil(slot, signal);
  const askedAt = governed.now();
  if (isMissed(leased, askedAt)) return undefined;
  const { value: outcome, requests, skipped } = await countingRequests(() => make(askedAt));
  await governed.learnOfCall(call, outcome, probe, requests);
  return { call, askedAt, outcome, skipped };
}

/**
 * Leases one call, by the first of its ways that is offered, and makes it in its slot.
 *
 * Without a slot, or where the slot comes too late for the caller, there is no call.
 */
export async function callOnce<Value>(
  governed: GovernedCalls,
  ways: readonly UpstreamCall[],
  make: (call: UpstreamCall, askedAt: Instant) => Promise<Outcome<Value>>,
  signal: AbortSignal,
  isInTime: (slot: Instant) => boolean = () => true,
): Promise<MadeCall<Value> | NoSlot> {
  const lease = await governed.leaseCalls([ways]);
  if (!lease.granted) return { until: lease.until };
  const [leased] = lease.calls;
  if (leased === undefined || !isInTime(leased.slot)) return { until: governed.now() };
  const { call } = leased;
  const made = await callInSlot(governed, leased, (askedAt) => make(call, askedAt), signal);
  return made ?? { until: governed.now() };
}
