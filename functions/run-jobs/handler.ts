import { createFifoSenders } from '#shared/clients/fifo-queue.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { dynamoTable } from '#shared/outside/dynamo.ts';
import { onLambda } from '#shared/outside/on-lambda.ts';
import { snsTopics } from '#shared/outside/sns.ts';
import { ssmSecrets } from '#shared/outside/ssm.ts';
import { holdingsReader } from '#shared/providers/collection-search.ts';
import { currentTrace } from '#shared/runtime/trace.ts';
import { runJobsFunction } from './function.ts';

export const handler = runJobsFunction({
  ...onLambda,
  table: dynamoTable,
  senderTo: createFifoSenders(currentTrace),
  secret: ssmSecrets(),
  topics: snsTopics,
  httpClient: createHttpClient,
  holdingsReader,
});
