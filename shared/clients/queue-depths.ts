import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { AWS_CLIENTS } from './aws-clients.ts';

/** The approximate number of messages in a queue. */
export type QueueDepth = {
  readonly waiting: number;
  /** Received by a function and not deleted yet. */
  readonly underWay: number;
};

export function createQueueDepths(): (queueUrl: string) => Promise<QueueDepth> {
  const client = new SQSClient(AWS_CLIENTS.queues);
  return async (QueueUrl) => {
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [WAITING, UNDER_WAY] }),
    );
    const { [WAITING]: waiting, [UNDER_WAY]: underWay } = QueueAttributes.parse(Attributes);
    return { waiting, underWay };
  };
}

const WAITING = 'ApproximateNumberOfMessages';
const UNDER_WAY = 'ApproximateNumberOfMessagesNotVisible';

const QueueAttributes = z.object({
  [WAITING]: z.coerce.number(),
  [UNDER_WAY]: z.coerce.number(),
});
