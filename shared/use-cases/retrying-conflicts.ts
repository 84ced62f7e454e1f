import { VersionConflictError } from '#shared/domain/version-conflict.ts';

/**
 * Repeats work, including its reads, after a version conflict, a few times. Idempotent work can be
 * repeated after other errors, too.
 */
export async function retryingConflicts<Result>(
  work: () => Promise<Result>,
  attempts = 5,
  isRepeated: (error: unknown) => boolean = (error) => error instanceof VersionConflictError,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isRepeated(error) || attempt === attempts) throw error;
    }
  }
}
