import type { Actor } from '#shared/domain/access/actor.ts';
import type { KeyedRequest } from '#shared/domain/access/keyed-request.ts';
import type { Acknowledgement } from '#shared/domain/alerting/acknowledgement.ts';
import type { PostedAlert } from '#shared/domain/channels/alert-record.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import {
  type Change,
  type ChangedDocument,
  type ChangeKind,
  changeId,
} from '#shared/domain/watchlists/change.ts';
import type { Job } from '#shared/domain/watchlists/job.ts';
import type { Mutes } from '#shared/domain/watchlists/mute.ts';
import type { QuotaUsage } from '#shared/domain/watchlists/quota-usage.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';

/**
 * A resource that belongs to a tenant. In requests, `Tenant` is the branded type of the caller's
 * tenant.
 */
export type Of<Tenant extends string, Thing extends { readonly tenant: string }> = Thing & {
  readonly tenant: Tenant;
};

/** All writes of a change, in one transaction. */
export type CommittedChange<Tenant extends string> = {
  /** The entry of the audit log. */
  readonly entry: Of<Tenant, Change>;
  /** Work that follows the change. Each job replaces the job with the same target. */
  readonly jobs: readonly Job[];
  /**
   * The job of the contracts that the change affects, and the earlier job that this job replaces.
   */
  readonly apply?:
    | { readonly after: Job; readonly before: Job | 'unreadable' | undefined }
    | undefined;
  /** Replaces the previous revision. */
  readonly list?: Of<Tenant, Watchlist>;
  readonly document?: Of<Tenant, ChangedDocument>;
  /** Replaces the version that was read. */
  readonly quotaUsage?: QuotaUsage | undefined;
  /** Replaces the previous version. */
  readonly mutes?: Mutes | undefined;
  /** An alert that the change posts. */
  readonly posted?: PostedAlert;
  /** The request that made the change, with its response. */
  readonly keyed?: KeyedRequest | undefined;
  readonly acknowledgement?: {
    readonly after: Of<Tenant, Acknowledgement>;
    /** The acknowledgement that the new one replaces. */
    readonly before: Acknowledgement | undefined;
  };
};

export type CommitChangePorts<Tenant extends string> = {
  readonly now: () => Instant;
  /** A number that is unique to each job and each change. */
  readonly newVersion: () => number;
  /**
   * Writes a change in one transaction. Throws VersionConflictError if an item that the change
   * replaces has changed in the meantime.
   */
  readonly commitChange: (change: CommittedChange<Tenant>) => Promise<void>;
};

/** The audit log entry of a change that is about to be written. */
export function changeNow<Tenant extends string>(
  { newVersion, now }: Pick<CommitChangePorts<Tenant>, 'newVersion' | 'now'>,
  { tenant, id: watchlist }: Of<Tenant, WatchlistId>,
  by: Actor,
  kind: ChangeKind,
  more: Pick<Change, 'revision' | 'edit' | 'subject'> = {},
): Of<Tenant, Change> {
  const at = now();
  return { tenant, watchlist, id: changeId(at, newVersion()), at, by, kind, ...more };
}
