import { createDestinations } from '#shared/channels/destinations.ts';
import { createFifoSenders } from '#shared/clients/fifo-queue.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { dynamoTable } from '#shared/outside/dynamo.ts';
import { onLambda } from '#shared/outside/on-lambda.ts';
import { sesSender } from '#shared/outside/ses.ts';
import { snsPublications } from '#shared/outside/sns.ts';
import { ssmSecrets } from '#shared/outside/ssm.ts';
import { currentTrace } from '#shared/runtime/trace.ts';
import { deliverMessagesFunction } from './function.ts';

export const handler = deliverMessagesFunction({
  ...onLambda,
  table: dynamoTable,
  senderTo: createFifoSenders(currentTrace),
  secret: ssmSecrets(),
  topics: snsPublications,
  emailSender: sesSender,
  httpClient: createHttpClient,
  destinations: createDestinations,
});
