import { VersionConflictError } from './version-conflict.ts';

/**
 * Thrown when the response to a write was lost, so that the write may or may not have been applied.
 * The caller must read the item again.
 */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError';
  readonly code = 'outcome_unknown';

  constructor(what: string, options?: ErrorOptions) {
    super(`it is unknown whether ${what} was written`, options);
  }
}

/** Whether an item must be read again: after a conflict or an unknown outcome. */
export function mayHaveChanged(error: unknown): boolean {
  return error instanceof VersionConflictError || error instanceof OutcomeUnknownError;
}
