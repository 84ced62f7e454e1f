import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { remembered } from '#shared/use-cases/remembered.ts';
import type { GetParameter } from './parameter-store.ts';

/** Reads a SecureString; with `refresh` not from memory. */
export type ReadSecret = (refresh: boolean) => Promise<string>;

/** Thrown when a secret that the stack names is not there. */
export class MissingSecretError extends Error {
  override readonly name = 'MissingSecretError';
  readonly code = 'missing_secret';
}

const KEPT_FOR = 5 * MINUTE;

/** A reader of one SecureString, which remembers it for some minutes. */
export function createSecretReader(
  getParameter: GetParameter,
  parameterName: string,
  now: () => Instant,
): ReadSecret {
  return remembered(() => readParameter(getParameter, parameterName), KEPT_FOR, now);
}

async function readParameter(getParameter: GetParameter, name: string): Promise<string> {
  const value = await getParameter(name);
  if (value) return value;
  const what = value === undefined ? 'is not there' : 'has no value';
  throw new MissingSecretError(`parameter ${name} ${what}`);
}
