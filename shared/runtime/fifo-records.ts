import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import type { Fields, Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { withTrace } from './trace.ts';

/** Logs and metrics for the operators. */
type Telemetry = { readonly log: Log; readonly metrics: Metrics };

/**
 * Handles a batch of a FIFO queue and returns the messages to retry. A message that meets an
 * unreadable item is not retried and blocks none behind it: the dispatcher repeats due work.
 *
 * Groups run side by side, the messages of one group one by one; the first failure stops its group,
 * since later messages must not overtake it. Each message carries the trace of its sender.
 */
export async function handleFifoRecords<Schema extends z.ZodType>(
  event: SQSEvent,
  schema: Schema,
  telemetry: Telemetry,
  handle: (message: z.output<Schema>) => Promise<void>,
): Promise<SQSBatchResponse> {
  const groups = Map.groupBy(event.Records, ({ attributes }) => attributes.MessageGroupId);
  const failed = await Promise.all(
    [...groups.values()].map((records) => handleGroup(records, schema, telemetry, handle)),
  );
  return {
    batchItemFailures: failed.flat().map(({ messageId }) => ({ itemIdentifier: messageId })),
  };
}

async function handleGroup<Schema extends z.ZodType>(
  records: readonly SQSRecord[],
  schema: Schema,
  { log, metrics }: Telemetry,
  handle: (message: z.output<Schema>) => Promise<void>,
): Promise<readonly SQSRecord[]> {
  for (const [index, record] of records.entries()) {
    const trace = traceOf(record);
    try {
      await withTrace(trace, () => handle(schema.parse(JSON.parse(record.body))));
    } catch (error) {
      const { messageId, attributes } = record;
      if (error instanceof UnreadableError) {
        log.error('item_unreadable', { trace, messageId, error });
        metrics.measure('BrokenItems');
        continue;
      }
      const received = attributes.ApproximateReceiveCount;
      log.error('message_failed', { trace, messageId, received, error });
      metrics.measure('MessagesFailed');
      return records.slice(index);
    }
  }
  return [];
}

/** What has begun the work of a message; its own id where that was not reported. */
function traceOf({ messageAttributes, messageId }: SQSRecord): string {
  return messageAttributes.trace?.stringValue ?? messageId;
}

/** What an invocation says of its messages: in whose name each was handled. */
export function tracesOf({ Records }: SQSEvent): Fields {
  return { traces: Records.map(traceOf) };
}
