import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';

/**
 * The destinations that an invocation posts alerts to, written before the first alert. `wake-work`
 * checks their inboxes later, because the invocation may crash before it sends its messages, and
 * messages may be lost.
 */
export type PostIntent = {
  readonly id: string;
  /** Number of times that the invocation has written the intent. */
  readonly version: number;
  readonly destinations: readonly DestinationId[];
  /** When the invocation began to post. */
  readonly since: Instant;
  /** When `wake-work` checks the inboxes. */
  readonly dueAt: Instant;
};

/** Delay of a check. By then an alert has normally left its inbox, or its channel has a timer. */
const GRACE_PERIOD = 2 * MINUTE;
/** Longer than any invocation, even if Lambda froze it for a while. */
const LONGEST_INVOCATION = 16 * MINUTE;

export function newPostIntent(
  id: string,
  version: number,
  destinations: readonly DestinationId[],
  since: Instant,
): PostIntent {
  return { id, version, destinations, since, dueAt: since + GRACE_PERIOD };
}

/**
 * The intent after a check. If alerts were waiting, the next check follows soon; otherwise it
 * follows when the invocation must have ended. Undefined if this was the last check.
 */
export function postIntentAfterCheck(
  intent: PostIntent,
  wereAlertsWaiting: boolean,
  now: Instant,
): PostIntent | undefined {
  const end = intent.since + LONGEST_INVOCATION;
  if (now >= end) return undefined;
  return { ...intent, dueAt: wereAlertsWaiting ? Math.min(now + GRACE_PERIOD, end) : end };
}
