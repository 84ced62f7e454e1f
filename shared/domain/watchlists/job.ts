import type { EpisodeId } from '#shared/domain/alerting/acknowledgement.ts';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { WatchlistId } from './watchlist.ts';

/**
 * What a change to a list has yet to bring about: its watches on some contracts, its topic, the end of
 * a rule that was given one with some revision, what a mute has held that was lifted early, or the
 * news that an episode is acknowledged; and, as long as it has one, what its wallet holds. An
 * escalation waits until an episode has to be acknowledged.
 */
export type JobTarget =
  | { readonly kind: 'apply' }
  | { readonly kind: 'topic' }
  | { readonly kind: 'mutes' }
  | { readonly kind: 'wallet' }
  | { readonly kind: 'report' }
  | ExpiryTarget
  | EpisodeTarget;
export type ExpiryTarget = {
  readonly kind: 'expiry';
  readonly rule: string;
  /** The end; another end has another job. */
  readonly end: Instant;
};
/** One episode of a watch of the list. */
export type EpisodeTarget = Omit<EpisodeId, 'tenant' | 'list'> & {
  readonly kind: 'acknowledgement' | 'escalation';
};

/** A job of a list. The transaction of a change makes it, and `wake-work` repeats it until it is done. */
export type Job = {
  readonly list: WatchlistId;
  readonly target: JobTarget;
  /**
   * The revision that is to be brought into effect; of mutes, their version, of an acknowledgement,
   * its moment.
   */
  readonly revision: number;
  readonly createdAt: Instant;
  /** When `wake-work` repeats it. */
  readonly dueAt: Instant;
  /** Of `apply`: the contracts to which the list is applied. */
  readonly contracts?: readonly ContractKey[] | undefined;
  /** Of a wallet: the last revision that it made of which people were informed. */
  readonly informedOf?: number | undefined;
  /** Of a wallet: since when its answers lack so much that they are not believed. */
  readonly doubtedSince?: Instant | undefined;
  /** Of an episode: an alert of it, whose words its news repeat. */
  readonly alert?: Pick<Alert, 'at' | 'id'> | undefined;
  /** Of an escalation: when it came to that; it stays until the episode is over. */
  readonly escalatedAt?: Instant | undefined;
  /** Identifies this job, also among jobs of the same revision. */
  readonly version: number;
};

/** The revision of a list that was applied to a contract, and when that revision was read. */
export type Applied = {
  readonly contract: ContractKey;
  readonly revision: number;
  readonly at: Instant;
};

/** The contracts of a job to which its list is not applied yet. */
export function notApplied(
  { contracts = [], revision, createdAt }: Job,
  applied: readonly Applied[],
): readonly ContractKey[] {
  const done = new Set(
    applied.flatMap((one) =>
      one.revision >= revision && one.at >= createdAt ? [one.contract] : [],
    ),
  );
  return contracts.filter((contract) => !done.has(contract));
}
