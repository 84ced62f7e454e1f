import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import {
  createParameterStore,
  type GetParameters,
  type ParameterStoreEnvironment,
  type ParameterStorePorts,
} from './parameter-store.ts';

/** Reads a SecureString; `refresh` bypasses the cache. */
export type ReadSecret = (refresh: boolean) => Promise<string>;

/** Thrown if a configured secret does not exist. */
export class MissingSecretError extends Error {
  override readonly name = 'MissingSecretError';
  readonly code = 'missing_secret';
}

/**
 * Values expire after four to five minutes, at random, so instances that start together do not
 * refresh together.
 */
const KEPT_FOR = 5 * MINUTE;
const SPREAD = MINUTE;

/** Creates the readers of a function's SecureStrings, by the names of their parameters. */
export function createSecrets(
  environment: ParameterStoreEnvironment,
  ports: ParameterStorePorts,
): (parameterName: string) => ReadSecret {
  return createSecretReaders(createParameterStore(environment, ports), ports);
}

/**
 * Creates readers with a shared cache. A call to SSM reads all parameters at once, and readers that
 * read at the same time share it. SSM allows only 40 reads a second for all functions of an
 * account together.
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
      const what = value === undefined ? 'does not exist' : 'has no value';
      throw new MissingSecretError(`parameter ${name} ${what}`);
    };
  };
}
