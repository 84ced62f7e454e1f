import { createQueueDepths } from '#shared/clients/queue-depths.ts';
import { dynamoTable } from '#shared/outside/dynamo.ts';
import { onLambda } from '#shared/outside/on-lambda.ts';
import { reportOperationsFunction } from './function.ts';

export const handler = reportOperationsFunction({
  ...onLambda,
  table: dynamoTable,
  queueDepth: createQueueDepths(),
});
