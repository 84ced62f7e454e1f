import { VersionConflictError } from '#shared/domain/version-conflict.ts';

/**
 * Repeats work, including its reads, up to a number of attempts after version conflicts. Idempotent
 * work can also be repeated after other errors.
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
