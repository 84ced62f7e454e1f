/**
 * Thrown if an item is not, or no longer, in the state that the writer has read; nothing was
 * written.
 */
export class VersionConflictError extends Error {
  override readonly name = 'VersionConflictError';
  readonly code = 'version_conflict';

  constructor(what: string, options?: ErrorOptions) {
    super(`${what} has changed since it was read`, options);
  }
}
