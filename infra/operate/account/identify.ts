import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { UsageError } from '#infra/operate/usage-error.ts';

/** Where stages are deployed to. */
type Home = { readonly account: string; readonly region: string };

/** Where the credentials of the environment lead, and who they are. */
export type Identity = Home & { readonly arn: string };

/** Asks AWS who we are; the region is that of the environment where none is given. */
export async function identify(given: string | undefined): Promise<Identity> {
  const sts = new STSClient(given === undefined ? {} : { region: given });
  const region = await sts.config.region().catch((error: unknown) => {
    throw new UsageError('give --region, for example eu-west-1', { cause: error });
  });
  try {
    const { Account: account, Arn: arn } = await sts.send(new GetCallerIdentityCommand({}));
    if (account === undefined || arn === undefined) throw new Error('AWS did not say who we are');
    return { account, region, arn };
  } catch (error) {
    if (!(error instanceof Error) || !NO_CREDENTIALS.has(error.name)) throw error;
    throw new UsageError(
      `AWS takes no credentials of this environment (${error.message}): log in, for example by aws sso login, and name the profile by AWS_PROFILE`,
      { cause: error },
    );
  }
}

/** What clients and the service call credentials that are not there, wrong or too old. */
const NO_CREDENTIALS: ReadonlySet<string> = new Set([
  'CredentialsProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidClientTokenId',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
]);

/** Throws where a stage is deployed to another place than that which the credentials lead to. */
export function expectHome(stage: string, home: Home | undefined, here: Home): void {
  if (home === undefined) return;
  if (home.account === here.account && home.region === here.region) return;
  throw new UsageError(
    `the stage ${stage} is in ${home.region} of account ${home.account}, and these credentials lead to ${here.region} of ${here.account}: use others, or another stage`,
  );
}
