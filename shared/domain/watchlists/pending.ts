import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import type { WatchlistId } from './watchlist.ts';

/**
 * What a change to a list has yet to bring about: its watches on a contract, its topic, the end of
 * a rule that was given one with some revision, or what a mute has held that was lifted early.
 */
export type PendingTarget =
  | { readonly kind: 'contract'; readonly contract: ContractKey }
  | { readonly kind: 'topic' }
  | { readonly kind: 'mutes' }
  | ExpiryTarget;
export type ExpiryTarget = {
  readonly kind: 'expiry';
  readonly rule: string;
  /** Its end: whoever gives it another has a note of their own. */
  readonly end: Instant;
};

/** A note of it, written before the change itself and repeated by the dispatcher until it is gone. */
export type Pending = {
  readonly list: WatchlistId;
  readonly target: PendingTarget;
  /** The revision that is to be brought into effect; of mutes, their version. */
  readonly revision: number;
  readonly notedAt: Instant;
  /** When the dispatcher repeats it. */
  readonly dueAt: Instant;
  /** Identifies this note, also among notes of the same revision. */
  readonly version: number;
};

/** By then the writer of a note has written its document, or never will. */
export const WRITER_IS_DONE_AFTER = 2 * 60_000;

/**
 * Takes a note away for who has just acted on the list's document, but not while the revision that
 * the note announces may still be on its way. A newer note stays: its own message follows.
 */
export async function settleIfDone(
  settle: (pending: Pending) => Promise<void>,
  pending: Pending | undefined,
  revisionRead: number,
  readAt: Instant,
): Promise<void> {
  if (pending === undefined) return;
  const writerIsDone = readAt - pending.notedAt > WRITER_IS_DONE_AFTER;
  if (revisionRead < pending.revision && !writerIsDone) return;
  try {
    await settle(pending);
  } catch (error) {
    if (!(error instanceof VersionConflictError)) throw error;
  }
}
