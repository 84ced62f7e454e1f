import { UsageError } from './usage-error.ts';

/**
 * What a user has to mend, in words; undefined for an error that is none of theirs. Credentials and
 * region are those of the environment, so a command meets their lack with its first call of AWS.
 */
export function mistakeIn(error: unknown): string | undefined {
  if (error instanceof UsageError) return error.message;
  if (!(error instanceof Error)) return undefined;
  if (NO_CREDENTIALS.has(error.name)) {
    return `AWS accepts no credentials of this environment (${error.message}): log in, for example with aws sso login, and set AWS_PROFILE`;
  }
  // The SDK has no name for it.
  return error.message === 'Region is missing'
    ? 'The region of the stage is unknown: set AWS_REGION, for example AWS_REGION=eu-west-1'
    : undefined;
}

/** The names of errors for missing, wrong or expired credentials, of clients and of services. */
const NO_CREDENTIALS: ReadonlySet<string> = new Set([
  'CredentialsProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidClientTokenId',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
]);
