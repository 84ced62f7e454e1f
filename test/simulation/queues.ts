import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { BATCH } from '#infra/stack/concurrency.ts';
import { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import { ContractMessage } from '#shared/domain/messages/contract-message.ts';
import { channelGroup, contractGroup, listGroup } from '#shared/domain/messages/groups.ts';
import { handleFifoRecords, type Telemetry } from '#shared/runtime/fifo-records.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import {
  createFifoQueue,
  type FifoWorld,
  GARBLED,
  type QueuedMessage,
  type Settle,
} from '#test/simulation/services/fifo-queue.ts';
import type { Invocation } from '#test/simulation/services/sandbox.ts';
import type { EventLog } from './event-log.ts';
import { type Instance, type Queues, TIMEOUT_SECONDS, VISIBILITY_SECONDS } from './functions.ts';
import type { Runner } from './runner.ts';

const metrics = createMetrics('simulation', Date.now);

/** The three queues, each with the function that it wakes. */
export function createQueues(
  fifo: FifoWorld,
  { run, failed }: Runner,
  { met }: Pick<EventLog, 'met'>,
): Queues {
  const consumer =
    (
      name: string,
      work: (
        instance: Instance,
        by: Invocation,
        event: SQSEvent,
        telemetry: Telemetry,
      ) => Promise<SQSBatchResponse>,
    ) =>
    (batch: readonly QueuedMessage[], settle: Settle) => {
      const all = new Set(batch.map(({ id }) => id));
      let unhandled: ReadonlySet<string> = all;
      const log = {
        info: () => {},
        error: (_event: string, fields: Readonly<Record<string, unknown>> = {}) => {
          met('message failed');
          if (batch.some(({ body }) => body === GARBLED)) return met('poison message');
          failed(name, fields.error);
        },
      };
      run(
        name,
        TIMEOUT_SECONDS.actor,
        async (instance, by) => {
          const event = { Records: batch.map(recordOf) };
          const { batchItemFailures } = await work(instance, by, event, { log, metrics });
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
      handle: consumer('run-contracts', (instance, by, event, telemetry) =>
        handleFifoRecords(event, ContractMessage, telemetry, (message) =>
          instance.runContracts(by, message),
        ),
      ),
    }),
    lists: createFifoQueue(fifo, {
      name: 'lists',
      groupOf: listGroup,
      batchSize: BATCH.notifyWatchers,
      visibilitySeconds,
      handle: consumer('notify-watchers', (instance, ...event) => instance.notify(...event)),
    }),
    channels: createFifoQueue(fifo, {
      name: 'channels',
      groupOf: channelGroup,
      batchSize: 1,
      visibilitySeconds,
      handle: consumer('deliver-messages', (instance, by, event, telemetry) =>
        handleFifoRecords(event, ChannelMessage, telemetry, (message) =>
          instance.deliver(by, message),
        ),
      ),
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
