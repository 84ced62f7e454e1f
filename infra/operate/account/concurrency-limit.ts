import { GetAccountSettingsCommand, type LambdaClient } from '@aws-sdk/client-lambda';

/** How many functions an account may run at once, in its region. */
export async function concurrencyLimit(client: LambdaClient): Promise<number> {
  const { AccountLimit } = await client.send(new GetAccountSettingsCommand({}));
  const limit = AccountLimit?.ConcurrentExecutions;
  if (limit === undefined) throw new Error('Lambda did not say how many functions may run at once');
  return limit;
}
