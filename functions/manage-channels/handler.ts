import { createFifoSenders } from '#shared/clients/fifo-queue.ts';
import { dynamoTable } from '#shared/outside/dynamo.ts';
import { onLambda } from '#shared/outside/on-lambda.ts';
import { snsTopics } from '#shared/outside/sns.ts';
import { currentTrace } from '#shared/runtime/trace.ts';
import { manageChannelsFunction } from './function.ts';

export const handler = manageChannelsFunction({
  ...onLambda,
  table: dynamoTable,
  senderTo: createFifoSenders(currentTrace),
  topics: snsTopics,
});
