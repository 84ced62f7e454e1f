import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import {
  createParameterStore,
  type GetParameters,
  type ParameterStoreEnvironment,
  type ParameterStorePorts,
} from './parameter-store.ts';

/** Reads a SecureString; with `refresh` not from memory. */
export type ReadSecret = (refresh: boolean) => Promise<string>;

/** Thrown when a secret that the stack names is not there. */
export class MissingSecretError extends Error {
  override readonly name = 'MissingSecretError';
  readonly code = 'missing_secret';
}

/** Values expire after four to five minutes, so instances that start together do not refresh together. */
const KEPT_FOR = 5 * MINUTE;
const SPREAD = MINUTE;

/** Makes the readers of one function's SecureStrings, each by the name of its parameter. */
export function createSecrets(
  environment: ParameterStoreEnvironment,
  ports: ParameterStorePorts,
): (parameterName: string) => ReadSecret {
  return createSecretReaders(createParameterStore(environment, ports), ports);
}

/**
 * Makes readers that share a cache. One call reads the parameters of all readers, and concurrent
 * readers share it, because SSM allows an account 40 reads a second for all its functions.
 */
export function createSecretReaders(
  getParameters: GetParameters,
  { now, random }: Pick<ParameterStorePorts, 'now' | 'random'>,
): (parameterName: string) => ReadSecret {
  type Values = Awaited<ReturnType<GetParameters>>;
  const names = new Set<string>();
  let known: { readonly values: Values; readonly until: Instant } | undefined;
  let reading: Promise<Values> | undefined;

  const readAll = async () => {
    const readAt = now();
    const values = await getParameters([...names]);
    known = { values, until: readAt + KEPT_FOR - random() * SPREAD };
    return values;
  };
  const readTogether = () => {
    reading ??= readAll().finally(() => {
      reading = undefined;
    });
    return reading;
  };

  return (name) => {
    names.add(name);
    return async (refresh) => {
      const isFresh = !refresh && known !== undefined && now() < known.until;
      const remembered = isFresh && known?.values.get(name);
      const value = remembered || (await readTogether()).get(name);
      if (value) return value;
      const what = value === undefined ? 'is not there' : 'has no value';
      throw new MissingSecretError(`parameter ${name} ${what}`);
    };
  };
}
