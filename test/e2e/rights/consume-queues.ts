import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { region, type Stack } from '#test/support/template.ts';
import type { HostedFunctions } from './hosted-functions.ts';

/** Maximum number of deliveries of a message: a function may fail and retry, but not forever. */
const MOST_DELIVERIES = 5;

const EventSource = z.object({
  EventSourceArn: z.string(),
  FunctionName: z.string(),
  BatchSize: z.number(),
});
const Failures = z
  .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) })
  .nullish()
  .transform((answer) => answer?.batchItemFailures.map((item) => item.itemIdentifier) ?? []);

type ConsumeOptions = {
  readonly functions: HostedFunctions;
  readonly now: () => number;
  readonly onFailure: (error: unknown) => void;
};

/** Connects the queues to their functions, like the event source mappings of the template. */
export function consumeQueues(stack: Stack, sqs: SQSClient, options: ConsumeOptions) {
  const { functions, now, onFailure } = options;
  const queues = stack.find('AWS::SQS::Queue', z.unknown());
  const sources = stack.find('AWS::Lambda::EventSourceMapping', EventSource).map((source) => {
    const { EventSourceArn, FunctionName, BatchSize } = source.properties;
    const queue = queues.find(({ arn }) => arn === EventSourceArn);
    if (queue === undefined) throw new Error(`${source.id} consumes no queue of the stack`);
    const folder = functions.folderOf(FunctionName);
    return { QueueUrl: queue.ref, folder, MaxNumberOfMessages: BatchSize };
  });

  const handle = async (folder: string, QueueUrl: string, messages: readonly Message[]) => {
    const Records = messages.map((message) => recordOf(message, now()));
    const failed = new Set(Failures.parse(await functions.invoke(folder, { Records })));
    for (const { MessageId = '', ReceiptHandle, Attributes, Body } of messages) {
      const isLast = Number(Attributes?.ApproximateReceiveCount) >= MOST_DELIVERIES;
      if (failed.has(MessageId) && !isLast) {
        const again = { QueueUrl, ReceiptHandle, VisibilityTimeout: 0 };
        await sqs.send(new ChangeMessageVisibilityCommand(again));
        continue;
      }
      if (failed.has(MessageId)) onFailure(new Error(`${folder} fails to handle ${Body}`));
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  };

  /** Receives a batch from each queue, and starts to handle it. */
  return async (): Promise<readonly Promise<void>[]> => {
    const batches = sources.map(async ({ folder, ...source }) => {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          ...source,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        }),
      );
      if (Messages.length === 0) return [];
      return [handle(folder, source.QueueUrl, Messages).catch(onFailure)];
    });
    return (await Promise.all(batches)).flat();
  };
}

/**
 * A message as Lambda passes it to a function. The emulator gives messages timestamps in real time,
 * so only their ages are used.
 */
function recordOf(message: Message, now: number) {
  const age = Date.now() - Number(message.Attributes?.SentTimestamp);
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: { ...message.Attributes, SentTimestamp: String(Math.trunc(now - age)) },
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, { DataType, StringValue }]) => [
        name,
        { dataType: DataType, stringValue: StringValue },
      ]),
    ),
    eventSource: 'aws:sqs',
    awsRegion: region,
  };
}
