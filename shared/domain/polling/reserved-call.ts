import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { UpstreamCall } from '#shared/domain/market/operations.ts';

/** Permission to make calls, each at its slot; or the reason why none may be made now. */
export type CallReservation =
  | {
      readonly granted: true;
      /** One entry for each requested call; undefined if it may not be made now. */
      readonly calls: readonly (ReservedCall | undefined)[];
    }
  | {
      readonly granted: false;
      readonly reason: 'blocked' | 'denied' | 'budget' | 'busy';
      readonly until: Instant;
    };

export type ReservedCall = {
  readonly call: UpstreamCall;
  readonly callAt: Instant;
  /** Whether this is the single call that an open breaker allows. */
  readonly probe: boolean;
};

/**
 * Maximum delay of a call after its slot. A call that would be later than this is not made, because
 * it would add to the calls in other slots. So late calls exceed the rate by at most the calls of
 * half a second.
 */
const START_TOLERANCE = SECOND / 2;

/** Whether it is too late for a call. */
export function isMissed({ callAt }: ReservedCall, now: Instant): boolean {
  return now > callAt + START_TOLERANCE;
}
