import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  paginateListQueues,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';

/** A queue without a consumer: dead letters, or missed ticks. */
export type DeadLetterQueue = {
  readonly name: string;
  readonly url: string;
  readonly waiting: number;
  /**
   * The source queue of the dead letters. Without a source, messages are only listed.
   */
  readonly source: { readonly name: string; readonly url: string } | undefined;
};

/** The queues of a stack, with access to their dead letters. */
export type StackQueues = {
  readonly deadLetterQueues: () => Promise<readonly DeadLetterQueue[]>;
  /** Returns up to ten messages of a queue without removing them. */
  readonly peek: (queue: DeadLetterQueue) => Promise<readonly DeadLetter[]>;
  /** Moves dead letters back to their source. Yields the number of moved messages so far. */
  readonly moveBack: (
    queue: DeadLetterQueue,
    source: { readonly url: string },
  ) => AsyncGenerator<number>;
};

/** A dead letter; the log of the failed function contains the same message id. */
export type DeadLetter = {
  readonly messageId: string;
  readonly sentAt: string;
  readonly body: string;
};

/**
 * The queues of the stack without a redrive policy: dead-letter queues with their sources, and
 * queues without a source, such as missed ticks.
 */
export async function findDeadLetterQueues(
  sqs: SQSClient,
  namePrefix: string,
): Promise<readonly DeadLetterQueue[]> {
  const queues: Queue[] = [];
  const pages = paginateListQueues(
    { client: sqs, pageSize: 1000 },
    { QueueNamePrefix: namePrefix },
  );
  for await (const { QueueUrls = [] } of pages) {
    for (const url of QueueUrls) queues.push(await describe(sqs, url));
  }
  return queues.flatMap(({ arn, name, url, waiting, deadLettersArn }) => {
    if (deadLettersArn !== undefined) return [];
    const source = queues.find((other) => other.deadLettersArn === arn);
    return [{ name, url, waiting, source: source && { name: source.name, url: source.url } }];
  });
}

type Queue = {
  readonly arn: string;
  readonly name: string;
  readonly url: string;
  readonly waiting: number;
  readonly deadLettersArn: string | undefined;
};

async function describe(sqs: SQSClient, url: string): Promise<Queue> {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: url,
      AttributeNames: ['QueueArn', 'ApproximateNumberOfMessages', 'RedrivePolicy'],
    }),
  );
  const { QueueArn: arn, ...read } = QueueAttributes.parse(Attributes);
  const name = arn.slice(arn.lastIndexOf(':') + 1);
  const { ApproximateNumberOfMessages: waiting, RedrivePolicy } = read;
  return { arn, name, url, waiting, deadLettersArn: RedrivePolicy?.deadLetterTargetArn };
}

/** Returns up to ten messages of a queue without removing them. */
export async function peek(
  sqs: SQSClient,
  { url }: DeadLetterQueue,
): Promise<readonly DeadLetter[]> {
  const messages = await receive(sqs, url);
  for (const { ReceiptHandle } of messages) {
    const show = { QueueUrl: url, ReceiptHandle, VisibilityTimeout: 0 };
    await sqs.send(new ChangeMessageVisibilityCommand(show));
  }
  return messages.map(({ MessageId = '', Body = '', Attributes }) => ({
    messageId: MessageId,
    sentAt: new Date(Number(Attributes?.SentTimestamp)).toISOString(),
    body: Body,
  }));
}

/**
 * Moves dead letters back to their source queue, in order within a group. Yields the number of
 * moved messages after each.
 *
 * A message is sent before it is deleted. A crash in between duplicates the message, which is
 * harmless, because messages only signal that there is work. The move stops at the first message
 * that was already moved, because this message has failed again.
 */
export async function* moveBack(
  sqs: SQSClient,
  { url }: DeadLetterQueue,
  source: { readonly url: string },
): AsyncGenerator<number> {
  const sent = new Set<string | undefined>();
  for (;;) {
    const messages = await receive(sqs, url);
    if (messages.length === 0) return;
    for (const message of messages) {
      if (sent.has(message.MessageId)) return;
      sent.add(await sendAnew(sqs, source.url, message));
      const { ReceiptHandle } = message;
      await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));
      yield sent.size;
    }
  }
}

async function sendAnew(
  sqs: SQSClient,
  QueueUrl: string,
  { MessageId, Body, Attributes, MessageAttributes }: Message,
): Promise<string | undefined> {
  const { MessageGroupId } = Attributes ?? {};
  const { MessageId: anew } = await sqs.send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody: Body,
      MessageAttributes,
      // For five minutes SQS silently drops messages with a known deduplication id, so the message
      // gets a new one.
      ...(MessageGroupId && { MessageGroupId, MessageDeduplicationId: `redrive-${MessageId}` }),
    }),
  );
  return anew;
}

/** Receives up to ten messages and hides them for 30 seconds, while they are moved. */
async function receive(sqs: SQSClient, QueueUrl: string): Promise<readonly Message[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: 10,
      VisibilityTimeout: 30,
      WaitTimeSeconds: 1,
      MessageSystemAttributeNames: ['MessageGroupId', 'SentTimestamp'],
      MessageAttributeNames: ['All'],
    }),
  );
  return Messages;
}

const QueueAttributes = z.object({
  QueueArn: z.string(),
  ApproximateNumberOfMessages: z.coerce.number(),
  RedrivePolicy: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(z.object({ deadLetterTargetArn: z.string() }))
    .optional(),
});
