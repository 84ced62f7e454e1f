import { VersionConflictError } from '#shared/domain/version-conflict.ts';

/** Settles a job, unless another job has replaced it: that job has its own message. */
export async function settleUnlessReplaced(settle: () => Promise<void>): Promise<void> {
  try {
    await settle();
  } catch (error) {
    if (!(error instanceof VersionConflictError)) throw error;
  }
}
