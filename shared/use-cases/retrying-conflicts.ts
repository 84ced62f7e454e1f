import { VersionConflictError } from '#shared/domain/version-conflict.ts';

/** Does something anew, from its reading on, when it met a conflict: a few times, then gives up. */
export async function retryingConflicts<Result>(
  work: () => Promise<Result>,
  attempts = 5,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof VersionConflictError) || attempt === attempts) throw error;
    }
  }
}
