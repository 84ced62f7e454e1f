import type * as z from 'zod';

/** Thrown at a cold start with missing or invalid variables; lists all of them. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
  readonly code = 'wrong_environment';
}

/** Reads and validates the function's variables; throws EnvironmentError. */
export function readEnvironment<Schema extends z.ZodType>(
  schema: Schema,
  variables: Readonly<Record<string, string | undefined>>,
): z.output<Schema> {
  // zod's code generation would take longer than this single validation.
  const environment = schema.safeParse(variables, { jitless: true });
  if (environment.success) return environment.data;
  const wrong = environment.error.issues.map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );
  throw new EnvironmentError(`invalid environment variables: ${wrong.join('; ')}`);
}
