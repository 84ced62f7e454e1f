import { createHash } from 'node:crypto';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { AWS_CLIENTS } from './aws-clients.ts';

/** Puts messages into a FIFO queue, those of a group in order; rejects when not all were taken. */
export type SendAll<Message> = (messages: readonly Outgoing<Message>[]) => Promise<void>;

/** Thrown when a queue took only some messages of a batch, or none. */
export class QueueRefusedError extends Error {
  override readonly name = 'QueueRefusedError';
  readonly code = 'queue_refused';
}

const BATCH = 10;
const LANES = 5;

/** Makes the senders of one function; `trace` says what has begun the work that sends a message. */
export function createFifoSenders(trace: () => string | undefined) {
  const client = new SQSClient(AWS_CLIENTS.queues);
  return <Message>(queueUrl: string, groupOf: (message: Message) => string) =>
    createFifoSender(client, queueUrl, groupOf, trace);
}

/**
 * A sender to a FIFO queue; `groupOf` names the actor that a message is for, `trace` what has begun
 * the work that sends it.
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
      throw new QueueRefusedError(`${Failed.length} of ${batch.length} not taken: ${reason}`);
    }
  };

  return async (messages) => {
    const lanes = await Promise.allSettled(
      lanesOf(messages, groupOf).map(async (lane) => {
        for (const batch of slices(lane, BATCH)) await sendBatch(batch);
      }),
    );
    // Only when no lane is under way any more: a function that has answered may be frozen.
    const failed = lanes.find((lane) => lane.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };
}

/** Spreads messages over lanes that are sent side by side; a group stays in one, and so in order. */
function lanesOf<Message>(
  messages: readonly Outgoing<Message>[],
  groupOf: (message: Message) => string,
): readonly (readonly Outgoing<Message>[])[] {
  const count = Math.min(LANES, Math.ceil(messages.length / BATCH));
  const lanes = Array.from({ length: count }, (): Outgoing<Message>[] => []);
  for (const group of Map.groupBy(messages, ({ message }) => groupOf(message)).values()) {
    const [shortest] = lanes.toSorted((a, b) => a.length - b.length);
    shortest?.push(...group);
  }
  return lanes;
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
