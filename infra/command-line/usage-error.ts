/** A mistake in the command line, the settings or the environment that the user can correct. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'usage';
}

/** Runs a reader of user input, and turns its errors into UsageErrors. */
export function orUsageError<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(message, { cause: error });
  }
}
