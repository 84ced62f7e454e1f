import {
  GetQueueUrlCommand,
  QueueDoesNotExist,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { canaryQueue } from '#infra/stack/stages.ts';
import type { Instant } from '#shared/domain/market/instant.ts';

/** The time of the last returned message of the canary, if one returned in the last days. */
export type CanaryReturn = { readonly lastAt: Instant | undefined };

/** The number of receive calls. One call may return only some of the messages. */
const TIMES = 3;

/**
 * Reads the time at which a message of the canary last returned; undefined if the stage has no
 * queue for it.
 */
export async function lastReturn(sqs: SQSClient, stage: string): Promise<CanaryReturn | undefined> {
  const QueueUrl = await urlOf(sqs, canaryQueue(stage));
  if (QueueUrl === undefined) return undefined;
  const received = await Promise.all(
    Array.from({ length: TIMES }, async () => {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          // The messages stay visible to the next reader.
          VisibilityTimeout: 0,
          // A long poll queries all servers of the queue.
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
