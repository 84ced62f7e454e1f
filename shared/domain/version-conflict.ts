/** Thrown when something is not, or no longer, what the writer read; nothing was written. */
export class VersionConflictError extends Error {
  override readonly name = 'VersionConflictError';
  readonly code = 'version_conflict';

  constructor(what: string, options?: ErrorOptions) {
    super(`${what} has changed since it was read`, options);
  }
}
