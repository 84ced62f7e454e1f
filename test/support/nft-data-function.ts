import { CreateTableCommand, DeleteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyResult, Context } from 'aws-lambda';
import { closeServer, listen } from '#infra/local/runtime/loopback.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { createParameterServer } from '#test/support/parameter-server.ts';
import { anHttpRequest } from './builders.ts';
import { startDynamoDbServer } from './dynamodb-server.ts';
import { TABLE_SCHEMA } from './tables.ts';

export const UPSTREAM_KEY = 'key-of-the-stack';

export type NftDataFunction = AsyncDisposable & {
  readonly request: (
    route: string,
    given?: Parameters<typeof anHttpRequest>[1],
  ) => Promise<APIGatewayProxyResult>;
  /** Resets the limits that the rate limiter has learned, and its spending. */
  readonly forgetLimits: () => Promise<void>;
};

const TABLE = 'Watches';
const KEY_PARAMETER = '/floorwatch/test/upstream-key';
const REGION = 'us-east-1';
const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/**
 * The function as deployed, including its handler, with a fake DynamoDB and a fake parameter store
 * on loopback. `setVariable` sets an environment variable of the process.
 */
export async function startNftDataFunction(
  upstreamUrl: string,
  setVariable: (name: string, value: string) => void,
  given: Readonly<Record<string, string>> = {},
): Promise<NftDataFunction> {
  const { endpoint, close } = await startDynamoDbServer();
  const client = new DynamoDBClient({ endpoint, region: REGION, credentials: CREDENTIALS });
  await client.send(new CreateTableCommand({ ...TABLE_SCHEMA, TableName: TABLE }));
  const parameters = createParameterServer(new Map([[KEY_PARAMETER, UPSTREAM_KEY]]), Date.now);
  const variables = {
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_SSM: await listen(parameters),
    WATCH_TABLE: TABLE,
    NFT_DATA_SOURCES: '{"traits":"upstream","floor":"upstream","lowest":"upstream"}',
    CORS_ORIGINS: '[]',
    NFT_DATA_UNITS_PER_MINUTE: '60000',
    UPSTREAM_PROVIDER: 'nft-data',
    UPSTREAM_URL: upstreamUrl,
    UPSTREAM_KEY_PARAMETER: KEY_PARAMETER,
    UPSTREAM_CALLS_PER_SECOND: '1000',
    UPSTREAM_BUDGET_PER_HOUR: 'none',
    UPSTREAM_BUDGET_PER_DAY: '100000000',
    UPSTREAM_BUDGET_PER_MONTH: '100000000',
    UPSTREAM_COSTS: JSON.stringify(evenCosts(1)),
    UPSTREAM_SHARES: '{"polling":60,"interface":20}',
    OTHER_PROVIDERS: '[]',
    ...given,
  };
  for (const [name, value] of Object.entries(variables)) setVariable(name, value);
  const { handler } = await import('#functions/serve-nft-data/handler.ts');
  const context = { awsRequestId: 'request', getRemainingTimeInMillis: () => 25_000 };

  return {
    request: async (route, more = {}) => {
      return await handler(anHttpRequest(route, more), context as Context);
    },
    forgetLimits: async () => {
      const Key = { pk: { S: 'UPSTREAM' }, sk: { S: 'RATE_LIMITER#nft-data' } };
      await client.send(new DeleteItemCommand({ TableName: TABLE, Key }));
    },
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      await closeServer(parameters);
      await close();
    },
  };
}
