import type { GetParameter } from './parameter-store.ts';

/** Reads a SecureString; with `refresh` not from memory. */
export type ReadSecret = (refresh: boolean) => Promise<string>;

/** Thrown when a secret that the stack names is not there. */
export class MissingSecretError extends Error {
  override readonly name = 'MissingSecretError';
  readonly code = 'missing_secret';
}

const KEPT_MILLISECONDS = 5 * 60_000;

/** A reader of one SecureString, which remembers it for some minutes. */
export function createSecretReader(
  getParameter: GetParameter,
  parameterName: string,
  now: () => number,
): ReadSecret {
  let known: { readonly value: string; readonly readAt: number } | undefined;
  return async (refresh) => {
    if (!refresh && known !== undefined && now() - known.readAt < KEPT_MILLISECONDS) {
      return known.value;
    }
    const value = await readParameter(getParameter, parameterName);
    known = { value, readAt: now() };
    return value;
  };
}

async function readParameter(getParameter: GetParameter, name: string): Promise<string> {
  const value = await getParameter(name);
  if (value) return value;
  const what = value === undefined ? 'is not there' : 'has no value';
  throw new MissingSecretError(`parameter ${name} ${what}`);
}
