import type { Instant } from '#shared/domain/market/instant.ts';
import type { Job, JobTarget } from '#shared/domain/watchlists/job.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { unlessConflict } from './unless-conflict.ts';

export type WantTopicPorts = {
  readonly now: () => Instant;
  /** A number that is unique to each job. */
  readonly newVersion: () => number;
  readonly getJob: (list: WatchlistId, target: JobTarget) => Promise<Job | undefined>;
  /** Replaces a job; throws VersionConflictError if another one is stored. */
  readonly replaceJob: (before: Job, after: Job) => Promise<void>;
};

/**
 * Makes the job of a list's topics due, so that the next tick creates missing topics and
 * subscriptions.
 */
export async function wantTopic(
  ports: WantTopicPorts,
  { tenant, id, revision }: Watchlist,
): Promise<void> {
  const now = ports.now();
  const none = { list: { tenant, id }, target: { kind: 'topic' }, revision, version: 0 } as const;
  const found = await ports.getJob(none.list, none.target);
  if (found !== undefined && found.dueAt <= now) return;
  const job = found ?? { ...none, createdAt: now, dueAt: now };
  const due = { ...job, dueAt: now, version: ports.newVersion() };
  // After a conflict another worker already has the job.
  await unlessConflict(() => ports.replaceJob(job, due));
}
