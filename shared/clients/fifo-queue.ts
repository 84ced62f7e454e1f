import { createHash } from 'node:crypto';
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';

/** Puts messages into a FIFO queue; rejects when not all of them were taken. */
export type SendAll<Message> = (messages: readonly Outgoing<Message>[]) => Promise<void>;

/** Thrown when a queue took only some messages of a batch, or none. */
export class QueueRefusedError extends Error {
  override readonly name = 'QueueRefusedError';
  readonly code = 'queue_refused';
}

const BATCH = 10;
const BATCHES_AT_ONCE = 5;

/** A sender to a FIFO queue; `groupOf` names the actor that a message is for. */
export function createFifoSender<Message>(
  client: SQSClient,
  queueUrl: string,
  groupOf: (message: Message) => string,
): SendAll<Message> {
  const sendBatch = async (batch: readonly Outgoing<Message>[]) => {
    const { Failed = [] } = await client.send(
      new SendMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: batch.map(({ message, deduplication }, index) => ({
          Id: String(index),
          MessageBody: JSON.stringify(message),
          MessageGroupId: hash(groupOf(message)),
          MessageDeduplicationId: hash(deduplication),
        })),
      }),
    );
    const [first] = Failed;
    if (first !== undefined) {
      const reason = first.Message ?? first.Code ?? 'no reason given';
      throw new QueueRefusedError(`${Failed.length} of ${batch.length} not taken: ${reason}`);
    }
  };

  return async (messages) => {
    const batches = slices(messages, BATCH);
    for (const together of slices(batches, BATCHES_AT_ONCE)) {
      await Promise.all(together.map(sendBatch));
    }
  };
}

/** Ids may have 128 characters of a small alphabet; names of ours are longer. */
function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function slices<Thing>(things: readonly Thing[], size: number): readonly (readonly Thing[])[] {
  return Array.from({ length: Math.ceil(things.length / size) }, (_, index) =>
    things.slice(index * size, (index + 1) * size),
  );
}
