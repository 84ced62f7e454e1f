import { ParameterStoreEnvironment } from '#shared/clients/parameter-store.ts';
import { createSecrets } from '#shared/clients/secrets.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { onLambda } from './on-lambda.ts';
import type { Outside } from './outside.ts';

/** Creates the readers of a function's SecureStrings from its environment. */
export function ssmSecrets(): Outside['secret'] {
  return createSecrets(readEnvironment(ParameterStoreEnvironment, onLambda.variables), onLambda);
}
