import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import { handleFifoRecords, traceFields } from '#shared/runtime/fifo-records.ts';
import { logged } from '#shared/runtime/logged.ts';
import { composeDeliverMessages, type DeliverMessagesOutside } from './compose.ts';
import { deliverMessages } from './deliver-messages.ts';

export function deliverMessagesFunction(outside: DeliverMessagesOutside) {
  const { ports, log, metrics } = composeDeliverMessages(outside);

  return middy<SQSEvent, SQSBatchResponse>({ timeoutEarlyInMillis: outside.earlyAbortMs })
    .use(logged(log, (event: SQSEvent) => ({ ...traceFields(event), ...metrics.flush() })))
    .handler((event, context, { signal }) => {
      const invocation = { ...ports, remainingTime: () => context.getRemainingTimeInMillis() };
      return handleFifoRecords(event, ChannelMessage, { log, metrics }, (message) =>
        deliverMessages(invocation, message, signal),
      );
    });
}
