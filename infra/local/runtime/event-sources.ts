import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { Clock } from './clock.ts';
import type { LocalFunction } from './functions.ts';
import { region } from './template.ts';

/** What an `AWS::Lambda::EventSourceMapping` asks for. */
export const EventSource = z.object({
  EventSourceArn: z.string(),
  FunctionName: z.string(),
  BatchSize: z.number().default(10),
  FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
  ScalingConfig: z.object({ MaximumConcurrency: z.number() }).optional(),
});
export type EventSource = z.output<typeof EventSource>;

export type Listening = {
  /** Takes no more messages, and resolves when those in hand are done. */
  readonly stop: () => Promise<void>;
};

export type ListenOptions = {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly target: LocalFunction;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
  readonly onMessage?: (body: string) => void;
  /**
   * How long a failed message stays hidden. The template's visibility timeout
   * is minutes of real time, for which a replay would stand still.
   */
  readonly retrySeconds?: number;
};

/** Hands the messages of a queue to a function, as the event source mapping says. */
export function listenToQueue(source: EventSource, options: ListenOptions): Listening {
  const { sqs, queueUrl, target, clock, onFailure, onMessage, retrySeconds = 2 } = options;
  const reports = source.FunctionResponseTypes.includes('ReportBatchItemFailures');
  const atOnce = Math.min(target.concurrency, source.ScalingConfig?.MaximumConcurrency ?? Infinity);
  const stopping = new AbortController();
  const batches = new Set<Promise<void>>();

  const receive = async (batchCount: number): Promise<readonly Message[]> => {
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: Math.min(10, batchCount * source.BatchSize),
      WaitTimeSeconds: 20,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    });
    const { Messages = [] } = await sqs.send(command, { abortSignal: stopping.signal });
    return Messages;
  };

  const handle = async (messages: readonly Message[]): Promise<void> => {
    for (const { Body = '' } of messages) onMessage?.(Body);
    const event = { Records: messages.map((message) => toRecord(message, source, clock)) };
    let failed: ReadonlySet<string | undefined>;
    try {
      const answer = await target.invoke(event);
      failed = reports ? failuresOf(answer, messages) : new Set();
    } catch (error) {
      onFailure(error);
      failed = new Set(messages.map(({ MessageId }) => MessageId));
    }
    const done = messages.filter(({ MessageId }) => !failed.has(MessageId));
    const undone = messages.filter(({ MessageId }) => failed.has(MessageId));
    if (done.length > 0) {
      const Entries = done.map(({ ReceiptHandle }, index) => ({
        Id: String(index),
        ReceiptHandle,
      }));
      await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    }
    for (const { ReceiptHandle } of undone) {
      const hide = { QueueUrl: queueUrl, ReceiptHandle, VisibilityTimeout: retrySeconds };
      await sqs.send(new ChangeMessageVisibilityCommand(hide));
    }
  };

  const listen = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      if (batches.size >= atOnce) await Promise.race(batches);
      const messages = await receive(atOnce - batches.size);
      for (let first = 0; first < messages.length; first += source.BatchSize) {
        const batch = handle(messages.slice(first, first + source.BatchSize))
          .catch(onFailure)
          .finally(() => batches.delete(batch));
        batches.add(batch);
      }
    }
  };

  const listening = listen().catch((error: unknown) => {
    if (!stopping.signal.aborted) onFailure(error);
  });

  return {
    stop: async () => {
      stopping.abort();
      await listening;
      await Promise.all(batches);
    },
  };
}

const BatchAnswer = z
  .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) })
  .nullish();

/** An answer that names no message of the batch, or is none at all, fails the whole batch as on AWS. */
function failuresOf(
  answer: unknown,
  messages: readonly Message[],
): ReadonlySet<string | undefined> {
  const all = new Set(messages.map(({ MessageId }) => MessageId));
  const read = BatchAnswer.safeParse(answer);
  if (!read.success) return all;
  const failed = new Set(read.data?.batchItemFailures.map((item) => item.itemIdentifier));
  return failed.isSubsetOf(all) ? failed : all;
}

function toRecord(message: Message, source: EventSource, clock: Clock): object {
  const attributes = { ...message.Attributes };
  for (const name of ['SentTimestamp', 'ApproximateFirstReceiveTimestamp'] as const) {
    const age = Date.now() - Number(attributes[name]);
    attributes[name] = String(Math.trunc(clock.now() - age));
  }
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes,
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, { DataType, StringValue }]) => [
        name,
        { dataType: DataType, stringValue: StringValue },
      ]),
    ),
    md5OfBody: message.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: source.EventSourceArn,
    awsRegion: region,
  };
}
