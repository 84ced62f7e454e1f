import type { Instant } from '#shared/domain/market/instant.ts';
import type { Outcome, Refusal } from '#shared/domain/market/upstream.ts';
import { type CallLease, isMissed, type LeasedCall } from '#shared/domain/polling/leased-call.ts';
import type { UpstreamCall } from '#shared/domain/polling/upstream-limits.ts';

/** Every call of the upstream: takes a lease, waits for its slot, reports the outcome. */
export type GovernedCalls = {
  readonly now: () => Instant;
  readonly sleepUntil: (instant: Instant, signal: AbortSignal) => Promise<void>;
  /** One lease for several calls; each is given by its ways, of which the first offered is taken. */
  readonly leaseCalls: (ways: readonly (readonly UpstreamCall[])[]) => Promise<CallLease>;
  readonly learnOfCall: (
    call: UpstreamCall,
    outcome: Refusal | { readonly kind: 'ok' },
    probe: boolean,
  ) => Promise<void>;
};

/** Makes a call in its slot; undefined when the slot was missed: then there is no call. */
export async function callInSlot<Value>(
  governed: GovernedCalls,
  leased: LeasedCall,
  make: (askedAt: Instant) => Promise<Outcome<Value>>,
  signal: AbortSignal,
): Promise<{ readonly askedAt: Instant; readonly outcome: Outcome<Value> } | undefined> {
  await governed.sleepUntil(leased.slot, signal);
  const askedAt = governed.now();
  if (isMissed(leased, askedAt)) return undefined;
  const outcome = await make(askedAt);
  await governed.learnOfCall(leased.call, outcome, leased.probe);
  return { askedAt, outcome };
}
