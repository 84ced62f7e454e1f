import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { WatchlistId } from './watchlist.ts';

/**
 * What a change to a list has yet to bring about: its watches on a contract, its topic, or the end
 * of a rule that was given one with some revision.
 */
export type PendingTarget =
  | { readonly kind: 'contract'; readonly contract: ContractKey }
  | { readonly kind: 'topic' }
  | { readonly kind: 'expiry'; readonly rule: string; readonly revision: number };

/** A note of it, written before the change itself and repeated by the dispatcher until it is gone. */
export type Pending = {
  readonly list: WatchlistId;
  readonly target: PendingTarget;
  /** The revision that is to be brought into effect. */
  readonly revision: number;
  readonly notedAt: Instant;
  /** When the dispatcher repeats it. */
  readonly dueAt: Instant;
  /** Tells this note from any other, also from one of the same revision. */
  readonly version: number;
};

/** By then the writer of a note has written its document, or never will. */
const WRITER_IS_DONE_AFTER = 2 * 60_000;

/**
 * Whether a note may be taken away by who has just acted on the list's document: not while the
 * revision it announces may still be on its way.
 */
export function maySettle(pending: Pending, revisionRead: number, now: Instant): boolean {
  return revisionRead >= pending.revision || now - pending.notedAt > WRITER_IS_DONE_AFTER;
}
