import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { FunctionName } from '#infra/local/world-functions.ts';
import { BATCH } from '#infra/stack/concurrency.ts';
import { channelGroup, contractGroup, listGroup } from '#shared/domain/messages/groups.ts';
import {
  createFifoQueue,
  type FifoWorld,
  GARBLED,
  type QueuedMessage,
  type Settle,
} from '#test/simulation/services/fifo-queue.ts';
import type { EventLog } from './event-log.ts';
import { type Queues, TIMEOUT_SECONDS, VISIBILITY_SECONDS } from './functions.ts';
import type { Runner } from './runner.ts';

/** The three queues, each with the function that it invokes. */
export function createQueues(
  fifo: FifoWorld,
  { run, failed }: Runner,
  { met }: Pick<EventLog, 'met'>,
): Queues {
  const consumer = (name: FunctionName) => (batch: readonly QueuedMessage[], settle: Settle) => {
    const all = new Set(batch.map(({ id }) => id));
    let unhandled: ReadonlySet<string> = all;
    const messageFailed = (error: unknown) => {
      met('message failed');
      if (batch.some(({ body }) => body === GARBLED)) return met('poison message');
      failed(name, error);
    };
    run(
      name,
      TIMEOUT_SECONDS.actor,
      async (instance, by) => {
        const event = { Records: batch.map(recordOf) };
        const answer = await instance.invoke(by, name, event, messageFailed);
        const { batchItemFailures } = answer as SQSBatchResponse;
        unhandled = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      },
      (isDone) => settle(isDone ? unhandled : all),
    );
  };
  const visibilitySeconds = VISIBILITY_SECONDS;
  return {
    contracts: createFifoQueue(fifo, {
      name: 'contracts',
      groupOf: contractGroup,
      batchSize: 1,
      visibilitySeconds,
      handle: consumer('run-contracts'),
    }),
    lists: createFifoQueue(fifo, {
      name: 'lists',
      groupOf: listGroup,
      batchSize: BATCH.runJobs,
      visibilitySeconds,
      handle: consumer('run-jobs'),
    }),
    channels: createFifoQueue(fifo, {
      name: 'channels',
      groupOf: channelGroup,
      batchSize: 1,
      visibilitySeconds,
      handle: consumer('deliver-messages'),
    }),
  };
}

function recordOf({ id, group, body, received }: QueuedMessage): SQSRecord {
  return {
    messageId: id,
    body,
    attributes: { MessageGroupId: group, ApproximateReceiveCount: String(received) },
    messageAttributes: {},
  } as SQSRecord;
}
