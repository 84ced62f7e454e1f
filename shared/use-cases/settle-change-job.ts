import { VersionConflictError } from '#shared/domain/version-conflict.ts';

/** Settles a job, unless another has taken its place meanwhile: that has a message of its own. */
export async function settleUnlessReplaced(settle: () => Promise<void>): Promise<void> {
  try {
    await settle();
  } catch (error) {
    if (!(error instanceof VersionConflictError)) throw error;
  }
}
