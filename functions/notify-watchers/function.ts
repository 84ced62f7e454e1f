import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { ListMessage } from '#shared/domain/messages/list-message.ts';
import { handleFifoRecords, tracesOf } from '#shared/runtime/fifo-records.ts';
import { logged } from '#shared/runtime/logged.ts';
import { composeNotifyWatchers, type NotifyWatchersOutside } from './compose.ts';
import { notifyWatchers } from './notify-watchers.ts';

export function notifyWatchersFunction(outside: NotifyWatchersOutside) {
  const { ports, log, metrics } = composeNotifyWatchers(outside);

  return middy<SQSEvent, SQSBatchResponse>({ timeoutEarlyInMillis: outside.earlyAbortMs })
    .use(logged(log, (event: SQSEvent) => ({ ...tracesOf(event), ...metrics.flush() })))
    .handler((event, context) => {
      const invocation = { ...ports, remainingTime: () => context.getRemainingTimeInMillis() };
      const notify = (message: ListMessage) => notifyWatchers(invocation, message);
      return handleFifoRecords(event, ListMessage, { log, metrics }, notify);
    });
}
