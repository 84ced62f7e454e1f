import { VersionConflictError } from './version-conflict.ts';

/**
 * Thrown when a write may have been applied or not, because its answer was lost. The caller reads
 * the item again before it decides.
 */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError';
  readonly code = 'outcome_unknown';

  constructor(what: string, options?: ErrorOptions) {
    super(`nobody knows whether the write of ${what} was applied`, options);
  }
}

/** Whether a writer has to read an item again: after a conflict, and after an unknown outcome. */
export function mayHaveChanged(error: unknown): boolean {
  return error instanceof VersionConflictError || error instanceof OutcomeUnknownError;
}
