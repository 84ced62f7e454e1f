/** A command line, or what a stage was set up with, asks for something that makes no sense. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'usage';
}

/** Reads what somebody has written; what is wrong with it becomes a UsageError. */
export function orUsageError<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(message, { cause: error });
  }
}
