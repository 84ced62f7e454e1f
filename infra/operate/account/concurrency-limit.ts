import { GetAccountSettingsCommand, type LambdaClient } from '@aws-sdk/client-lambda';

/** The account's limit of concurrent Lambda executions, in the client's region. */
export async function concurrencyLimit(client: LambdaClient): Promise<number> {
  const { AccountLimit } = await client.send(new GetAccountSettingsCommand({}));
  const limit = AccountLimit?.ConcurrentExecutions;
  if (limit === undefined) throw new Error('Lambda returned no limit on concurrent executions');
  return limit;
}
