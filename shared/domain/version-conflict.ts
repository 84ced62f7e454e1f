/**
 * Thrown if an item is not in the state that the writer has read, such as after another write;
 * nothing was written.
 */
export class VersionConflictError extends Error {
  override readonly name = 'VersionConflictError';
  readonly code = 'version_conflict';

  constructor(what: string, options?: ErrorOptions) {
    super(`${what} has changed since it was read`, options);
  }
}
