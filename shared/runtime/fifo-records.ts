import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import type { Log } from './log.ts';

/**
 * Handles a batch of a FIFO queue and tells which messages are to come again.
 *
 * Groups go side by side, the messages of one group one by one; the first that fails stops its
 * group, since what follows must not overtake it.
 */
export async function handleFifoRecords<Schema extends z.ZodType>(
  event: SQSEvent,
  schema: Schema,
  log: Log,
  handle: (message: z.output<Schema>) => Promise<void>,
): Promise<SQSBatchResponse> {
  const groups = Map.groupBy(event.Records, ({ attributes }) => attributes.MessageGroupId);
  const failed = await Promise.all(
    [...groups.values()].map((records) => handleGroup(records, schema, log, handle)),
  );
  return {
    batchItemFailures: failed.flat().map(({ messageId }) => ({ itemIdentifier: messageId })),
  };
}

async function handleGroup<Schema extends z.ZodType>(
  records: readonly SQSRecord[],
  schema: Schema,
  log: Log,
  handle: (message: z.output<Schema>) => Promise<void>,
): Promise<readonly SQSRecord[]> {
  for (const [index, record] of records.entries()) {
    try {
      await handle(schema.parse(JSON.parse(record.body)));
    } catch (error) {
      const { messageId, attributes } = record;
      const received = attributes.ApproximateReceiveCount;
      log.error('message_failed', { messageId, received, error });
      return records.slice(index);
    }
  }
  return [];
}
