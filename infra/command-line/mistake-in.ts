import { UsageError } from './usage-error.ts';

/**
 * The text of an error that the user can correct; undefined for other errors. Credentials and
 * region come from the environment, so their absence shows only at the first AWS call.
 */
export function mistakeIn(error: unknown): string | undefined {
  if (error instanceof UsageError) return error.message;
  if (!(error instanceof Error)) return undefined;
  if (NO_CREDENTIALS.has(error.name)) {
    return `AWS rejected the credentials of this environment, or found none (${error.message}): log in, for example with aws sso login, and set AWS_PROFILE`;
  }
  // The SDK has no error name for this case.
  return error.message === 'Region is missing'
    ? 'The AWS region is unknown: set AWS_REGION, for example AWS_REGION=eu-west-1'
    : undefined;
}

/** The error names of clients and services for missing, wrong or expired credentials. */
const NO_CREDENTIALS: ReadonlySet<string> = new Set([
  'CredentialsProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidClientTokenId',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
]);
