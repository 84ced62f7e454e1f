import { createHash } from 'node:crypto';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { AWS_CLIENTS } from './aws-clients.ts';

/**
 * Sends messages to a FIFO queue, in order within each group. Rejects if the queue did not accept
 * all messages.
 */
export type SendAll<Message> = (messages: readonly Outgoing<Message>[]) => Promise<void>;

/** Thrown if a queue rejected messages of a batch. */
export class QueueRefusedError extends Error {
  override readonly name = 'QueueRefusedError';
  readonly code = 'queue_refused';
}

const BATCH = 10;
const PARTITIONS = 5;

/** Creates the senders of a function. `trace` returns the trace id of the current work. */
export function createFifoSenders(trace: () => string | undefined) {
  const client = new SQSClient(AWS_CLIENTS.queues);
  return <Message>(queueUrl: string, groupOf: (message: Message) => string) =>
    createFifoSender(client, queueUrl, groupOf, trace);
}

/**
 * Creates a sender to a FIFO queue. `groupOf` returns the message group, `trace` the trace id of
 * the current work.
 */
export function createFifoSender<Message>(
  client: SQSClient,
  queueUrl: string,
  groupOf: (message: Message) => string,
  trace: () => string | undefined,
): SendAll<Message> {
  const sendBatch = async (batch: readonly Outgoing<Message>[]) => {
    const StringValue = trace();
    const { Failed = [] } = await client.send(
      new SendMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: batch.map(({ message, deduplication }, index) => ({
          Id: String(index),
          MessageBody: JSON.stringify(message),
          MessageGroupId: hash(groupOf(message)),
          MessageDeduplicationId: hash(deduplication),
          ...(StringValue && { MessageAttributes: { trace: { DataType: 'String', StringValue } } }),
        })),
      }),
    );
    const [first] = Failed;
    if (first !== undefined) {
      const reason = first.Message ?? first.Code ?? 'no reason given';
      throw new QueueRefusedError(
        `${Failed.length} of ${batch.length} messages rejected: ${reason}`,
      );
    }
  };

  return async (messages) => {
    const partitions = await Promise.allSettled(
      partitionsOf(messages, groupOf).map(async (partition) => {
        for (const batch of slices(partition, BATCH)) await sendBatch(batch);
      }),
    );
    // Throw only after all parallel batches have ended, because Lambda may freeze a function that
    // has returned.
    const failed = partitions.find((partition) => partition.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };
}

/**
 * Distributes messages to parallel sequences of batches. A group stays in one sequence, so its
 * order is kept.
 */
function partitionsOf<Message>(
  messages: readonly Outgoing<Message>[],
  groupOf: (message: Message) => string,
): readonly (readonly Outgoing<Message>[])[] {
  const count = Math.min(PARTITIONS, Math.ceil(messages.length / BATCH));
  const partitions = Array.from({ length: count }, (): Outgoing<Message>[] => []);
  for (const group of Map.groupBy(messages, ({ message }) => groupOf(message)).values()) {
    const [shortest] = partitions.toSorted((a, b) => a.length - b.length);
    shortest?.push(...group);
  }
  return partitions;
}

/** SQS limits ids to 128 characters of a small alphabet; our names can be longer. */
function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function slices<Thing>(things: readonly Thing[], size: number): readonly (readonly Thing[])[] {
  return Array.from({ length: Math.ceil(things.length / size) }, (_, index) =>
    things.slice(index * size, (index + 1) * size),
  );
}
