import { createHttpClient } from '#shared/clients/http-client.ts';
import { bulkDynamoTable } from '#shared/outside/bulk-dynamo.ts';
import { onLambda } from '#shared/outside/on-lambda.ts';
import { ssmSecrets } from '#shared/outside/ssm.ts';
import { createOthers } from '#shared/providers/create-others.ts';
import { createUpstream } from '#shared/providers/create-upstream.ts';
import { serveNftDataFunction } from './function.ts';

export const handler = serveNftDataFunction({
  ...onLambda,
  bulkTable: bulkDynamoTable,
  secret: ssmSecrets(),
  httpClient: createHttpClient,
  upstream: createUpstream,
  otherUpstreams: createOthers,
});
