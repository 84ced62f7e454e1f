import {
  GetQueueUrlCommand,
  QueueDoesNotExist,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { canaryQueue } from '#infra/stack/stages.ts';
import type { Instant } from '#shared/domain/market/instant.ts';

/** When the canary's last message came back, if one has in the last days. */
export type CanaryReturn = { readonly lastAt: Instant | undefined };

/** One answer could have all messages, but need not. */
const TIMES = 3;

/** Reads when a message of the canary last came back; undefined of a stage without its queue. */
export async function lastReturn(sqs: SQSClient, stage: string): Promise<CanaryReturn | undefined> {
  const QueueUrl = await urlOf(sqs, canaryQueue(stage));
  if (QueueUrl === undefined) return undefined;
  const received = await Promise.all(
    Array.from({ length: TIMES }, async () => {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          // They stay visible to the next who looks.
          VisibilityTimeout: 0,
          // A long poll asks all of the queue's servers.
          WaitTimeSeconds: 1,
          MessageSystemAttributeNames: ['SentTimestamp'],
        }),
      );
      return Messages.map(({ Attributes }) => Number(Attributes?.SentTimestamp));
    }),
  );
  const sent = received.flat();
  return { lastAt: sent.length === 0 ? undefined : Math.max(...sent) };
}

async function urlOf(sqs: SQSClient, name: string): Promise<string | undefined> {
  try {
    return (await sqs.send(new GetQueueUrlCommand({ QueueName: name }))).QueueUrl;
  } catch (error) {
    if (error instanceof QueueDoesNotExist) return undefined;
    throw error;
  }
}
