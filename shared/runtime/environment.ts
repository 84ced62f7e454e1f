import type * as z from 'zod';

/** Thrown at a cold start whose variables are not what the function needs; names every wrong one. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
  readonly code = 'wrong_environment';
}

/** Reads and checks the function's variables; throws EnvironmentError. */
export function readEnvironment<Schema extends z.ZodType>(
  schema: Schema,
  variables: Readonly<Record<string, string | undefined>>,
): z.output<Schema> {
  // The code that zod would generate to read faster is not worth its time for one reading.
  const environment = schema.safeParse(variables, { jitless: true });
  if (environment.success) return environment.data;
  const wrong = environment.error.issues.map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );
  throw new EnvironmentError(`wrong environment: ${wrong.join('; ')}`);
}
