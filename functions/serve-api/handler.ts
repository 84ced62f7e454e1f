import { createFifoSenders } from '#shared/clients/fifo-queue.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { createQueueDepths } from '#shared/clients/queue-depths.ts';
import { dynamoTable } from '#shared/outside/dynamo.ts';
import { onLambda } from '#shared/outside/on-lambda.ts';
import { ssmSecrets } from '#shared/outside/ssm.ts';
import { holdingsReader } from '#shared/providers/collection-search.ts';
import { createUpstream } from '#shared/providers/create-upstream.ts';
import { currentTrace } from '#shared/runtime/trace.ts';
import { serveApiFunction } from './function.ts';

export const handler = serveApiFunction({
  ...onLambda,
  table: dynamoTable,
  senderTo: createFifoSenders(currentTrace),
  secret: ssmSecrets(),
  httpClient: createHttpClient,
  holdingsReader,
  upstream: createUpstream,
  queueDepth: createQueueDepths(),
});
