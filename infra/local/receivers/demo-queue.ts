import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { Delivery } from '#infra/local/mailbox.ts';
import { account, region } from '#infra/local/runtime/template.ts';

const NAME = 'alerts-for-programs';
/** The most that SQS hands over at once. */
const BATCH = 10;
const Titled = z.object({ title: z.string() });

/** A queue of a user, and the program that reads it. */
export type DemoQueue = {
  readonly arn: string;
  /** Takes what lies in the queue. */
  readonly read: () => Promise<void>;
};

/** Makes the queue to which the demo sends its alerts. */
export async function makeDemoQueue(
  sqs: SQSClient,
  deliver: (delivery: Delivery) => void,
): Promise<DemoQueue> {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: NAME }));
  return {
    arn: `arn:aws:sqs:${region}:${account}:${NAME}`,
    read: async () => {
      for (;;) {
        const asked = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: BATCH });
        const { Messages = [] } = await sqs.send(asked);
        if (Messages.length === 0) return;
        for (const { Body = '', ReceiptHandle } of Messages) {
          const message: unknown = JSON.parse(Body);
          const subject = Titled.safeParse(message).data?.title ?? Body;
          deliver({ kind: 'sqs', to: NAME, subject, message });
          await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
        }
      }
    },
  };
}
