import * as z from 'zod';
import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { Outcome, Refusal } from '#shared/domain/market/upstream.ts';
import { UpstreamCall } from './upstream-limits.ts';

/** Leave to make calls, each from its slot on; or why there is none now. */
export type CallLease =
  | {
      readonly granted: true;
      /** One entry for each that was wanted; undefined where it may not be made now. */
      readonly calls: readonly (LeasedCall | undefined)[];
    }
  | {
      readonly granted: false;
      readonly reason: 'blocked' | 'denied' | 'budget' | 'busy';
      readonly until: Instant;
    };

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

export const LeasedCall = z.object({
  call: UpstreamCall,
  slot: z.int(),
  /** Whether it is the one try of an open breaker. */
  probe: z.boolean(),
});
export type LeasedCall = z.output<typeof LeasedCall>;

/**
 * A call that starts later than this after its slot is not made: it would add to what others start
 * then. Half a second of calls is the most that the rate can be overshot by.
 */
const SLOT_TOLERANCE = SECOND / 2;

/** Whether it is too late for a call. */
export function isMissed({ slot }: LeasedCall, now: Instant): boolean {
  return now > slot + SLOT_TOLERANCE;
}

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
