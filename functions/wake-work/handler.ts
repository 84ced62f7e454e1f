import { createFifoSenders } from '#shared/clients/fifo-queue.ts';
import { dynamoTable } from '#shared/outside/dynamo.ts';
import { onLambda } from '#shared/outside/on-lambda.ts';
import { currentTrace } from '#shared/runtime/trace.ts';
import { wakeWorkFunction } from './function.ts';

export const handler = wakeWorkFunction({
  ...onLambda,
  table: dynamoTable,
  senderTo: createFifoSenders(currentTrace),
});
