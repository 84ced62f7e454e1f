import type { Instant } from '#shared/domain/market/instant.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { type ChangeJob, WRITER_IS_DONE_AFTER } from '#shared/domain/watchlists/change-job.ts';

/**
 * Removes a job after its list's document was applied, but not while the revision of the job may
 * still be written. A newer job stays: its own message follows.
 */
export async function settleIfDone(
  settle: (job: ChangeJob) => Promise<void>,
  job: ChangeJob | undefined,
  revisionRead: number,
  readAt: Instant,
): Promise<void> {
  if (job === undefined) return;
  const writerIsDone = readAt - job.createdAt > WRITER_IS_DONE_AFTER;
  if (revisionRead < job.revision && !writerIsDone) return;
  try {
    await settle(job);
  } catch (error) {
    if (!(error instanceof VersionConflictError)) throw error;
  }
}
