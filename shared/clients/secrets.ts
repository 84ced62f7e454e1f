import { GetParameterCommand, ParameterNotFound, type SSMClient } from '@aws-sdk/client-ssm';

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
    const value = await readParameter(client, parameterName);
    known = { value, readAt: now() };
    return value;
  };
}

async function readParameter(client: SSMClient, name: string): Promise<string> {
  try {
    const command = new GetParameterCommand({ Name: name, WithDecryption: true });
    const { Parameter } = await client.send(command);
    if (Parameter?.Value) return Parameter.Value;
  } catch (error) {
    if (!(error instanceof ParameterNotFound)) throw error;
    throw new MissingSecretError(`parameter ${name} is not there`, { cause: error });
  }
  throw new MissingSecretError(`parameter ${name} has no value`);
}
