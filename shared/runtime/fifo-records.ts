import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import type { Fields, Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { withTrace } from './trace.ts';

/** The log and the metrics of a function. */
export type Telemetry = { readonly log: Log; readonly metrics: Metrics };

type Handle<Schema extends z.ZodType> = (message: z.output<Schema>) => Promise<void>;

/**
 * Handles a batch of a FIFO queue and returns the messages to retry. A message about an unreadable
 * item is not retried, because it would block later ones; `wake-work` repeats due work.
 *
 * Groups are handled concurrently, the messages of a group one by one. A failure stops its group,
 * because later messages must not overtake it. Each message is handled with the trace of its
 * sender.
 */
export async function handleFifoRecords<Schema extends z.ZodType>(
  event: SQSEvent,
  schema: Schema,
  telemetry: Telemetry,
  handle: Handle<Schema>,
): Promise<SQSBatchResponse> {
  const groups = Map.groupBy(event.Records, ({ attributes }) => attributes.MessageGroupId);
  const failed = await Promise.all(
    [...groups.values()].map((records) => handleGroup(records, schema, telemetry, handle)),
  );
  return {
    batchItemFailures: failed.flat().map(({ messageId }) => ({ itemIdentifier: messageId })),
  };
}

/**
 * Handles the messages of a group one by one; returns the first failed message and all that follow
 * it.
 */
async function handleGroup<Schema extends z.ZodType>(
  records: readonly SQSRecord[],
  schema: Schema,
  { log, metrics }: Telemetry,
  handle: Handle<Schema>,
): Promise<readonly SQSRecord[]> {
  for (const [index, record] of records.entries()) {
    const read = JsonText.pipe(schema).safeParse(record.body);
    const trace = traceOf(record);
    try {
      if (!read.success) throw read.error;
      await withTrace(trace, () => handle(read.data));
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

/** The trace of a message; its own id if it has none. */
function traceOf({ messageAttributes, messageId }: SQSRecord): string {
  return messageAttributes.trace?.stringValue ?? messageId;
}

/** The log fields with the traces of an invocation's messages. */
export function traceFields({ Records }: SQSEvent): Fields {
  return { traces: Records.map(traceOf) };
}
