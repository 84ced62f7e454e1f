import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { UsageError } from '#infra/command-line/usage-error.ts';

/** The account and region of a deployment. */
type Home = { readonly account: string; readonly region: string };

/** The account, region and principal of the environment's credentials. */
export type Identity = Home & { readonly arn: string };

/** Reads the caller's identity from STS; the default region is that of the environment. */
export async function identify(given: string | undefined): Promise<Identity> {
  const sts = new STSClient(given === undefined ? {} : { region: given });
  const region = await sts.config.region().catch((error: unknown) => {
    throw new UsageError('the region is unknown: give --region, for example --region eu-west-1', {
      cause: error,
    });
  });
  const { Account: account, Arn: arn } = await sts.send(new GetCallerIdentityCommand({}));
  if (account === undefined || arn === undefined)
    throw new Error('STS returned no account or no ARN');
  return { account, region, arn };
}

/** Throws if the credentials belong to another account or region than the deployed stage. */
export function expectHome(stage: string, home: Home | undefined, here: Home): void {
  if (home === undefined) return;
  if (home.account === here.account && home.region === here.region) return;
  throw new UsageError(
    `the stage ${stage} is in ${home.region} of account ${home.account}, but this command uses ${here.region} of account ${here.account}: use other credentials, or another stage`,
  );
}

export function identityInWords({ account, region, arn }: Identity): string {
  return `You are ${arn} in account ${account}, region ${region}.\n\n`;
}
