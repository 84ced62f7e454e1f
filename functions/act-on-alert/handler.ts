import { createFifoSenders } from '#shared/clients/fifo-queue.ts';
import { dynamoTable } from '#shared/outside/dynamo.ts';
import { onLambda } from '#shared/outside/on-lambda.ts';
import { ssmSecrets } from '#shared/outside/ssm.ts';
import { currentTrace } from '#shared/runtime/trace.ts';
import { actOnAlertFunction } from './function.ts';

export const handler = actOnAlertFunction({
  ...onLambda,
  table: dynamoTable,
  senderTo: createFifoSenders(currentTrace),
  secret: ssmSecrets(),
});
