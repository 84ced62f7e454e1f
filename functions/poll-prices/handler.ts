import { createFifoSenders } from '#shared/clients/fifo-queue.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { dynamoTable } from '#shared/outside/dynamo.ts';
import { onLambda } from '#shared/outside/on-lambda.ts';
import { ssmSecrets } from '#shared/outside/ssm.ts';
import { createOthers } from '#shared/providers/create-others.ts';
import { createUpstream } from '#shared/providers/create-upstream.ts';
import { currentTrace } from '#shared/runtime/trace.ts';
import { pollPricesFunction } from './function.ts';

export const handler = pollPricesFunction({
  ...onLambda,
  table: dynamoTable,
  senderTo: createFifoSenders(currentTrace),
  secret: ssmSecrets(),
  httpClient: createHttpClient,
  upstream: createUpstream,
  otherUpstreams: createOthers,
});
