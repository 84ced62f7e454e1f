/** Thrown when something is kept in a form that makes no sense: it is never half-read. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
  readonly code = 'unreadable';

  constructor(what: string, options?: ErrorOptions) {
    super(`${what} cannot be read`, options);
  }
}
