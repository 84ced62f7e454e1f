import { createHttpClient } from '#shared/clients/http-client.ts';
import { dynamoTable } from '#shared/outside/dynamo.ts';
import { onLambda } from '#shared/outside/on-lambda.ts';
import { ssmSecrets } from '#shared/outside/ssm.ts';
import { createUpstream } from '#shared/providers/create-upstream.ts';
import { readContractsFunction } from './function.ts';

export const handler = readContractsFunction({
  ...onLambda,
  table: dynamoTable,
  secret: ssmSecrets(),
  httpClient: createHttpClient,
  upstream: createUpstream,
});
