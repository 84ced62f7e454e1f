import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';

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
  client: SSMClient,
  parameterName: string,
  now: () => number,
): ReadSecret {
  let known: { readonly value: string; readonly readAt: number } | undefined;
  return async (refresh) => {
    if (!refresh && known !== undefined && now() - known.readAt < KEPT_MILLISECONDS) {
      return known.value;
    }
    const { Parameter } = await client.send(
      new GetParameterCommand({ Name: parameterName, WithDecryption: true }),
    );
    if (!Parameter?.Value) throw new MissingSecretError(`parameter ${parameterName} has no value`);
    known = { value: Parameter.Value, readAt: now() };
    return known.value;
  };
}
