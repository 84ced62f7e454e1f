import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';

/**
 * The destinations that an invocation posts alerts to, written before the first alert. `wake-work`
 * looks into their inboxes later: the invocation may die before it sends its messages, and messages
 * may be lost.
 */
export type Hints = {
  readonly id: string;
  /** Counts the writes of the invocation. */
  readonly version: number;
  readonly destinations: readonly DestinationId[];
  /** When the invocation began to post. */
  readonly since: Instant;
  /** When `wake-work` looks. */
  readonly dueAt: Instant;
};

/** By then an alert has left its inbox, or its channel has a timer of its own. */
const PATIENCE = 2 * MINUTE;
/** Longer than any invocation lives, even if it was frozen for a while. */
const LONGEST_INVOCATION = 16 * MINUTE;

export function newHints(
  id: string,
  version: number,
  destinations: readonly DestinationId[],
  since: Instant,
): Hints {
  return { id, version, destinations, since, dueAt: since + PATIENCE };
}

/**
 * The hints after `wake-work` has looked: soon again if alerts waited, and once more when the
 * invocation is surely over. Undefined if that was the last time.
 */
export function hintsAfterLook(
  hints: Hints,
  wereAlertsWaiting: boolean,
  now: Instant,
): Hints | undefined {
  const end = hints.since + LONGEST_INVOCATION;
  if (now >= end) return undefined;
  return { ...hints, dueAt: wereAlertsWaiting ? Math.min(now + PATIENCE, end) : end };
}
