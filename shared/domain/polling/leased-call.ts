import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { UpstreamCall } from '#shared/domain/market/operations.ts';

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

export type LeasedCall = {
  readonly call: UpstreamCall;
  readonly slot: Instant;
  /** Whether it is the one try of an open breaker. */
  readonly probe: boolean;
};

/**
 * A call that starts later than this after its slot is not made: it would add to what others start
 * then. Half a second of calls is the most that the rate can be overshot by.
 */
const SLOT_TOLERANCE = SECOND / 2;

/** Whether it is too late for a call. */
export function isMissed({ slot }: LeasedCall, now: Instant): boolean {
  return now > slot + SLOT_TOLERANCE;
}
