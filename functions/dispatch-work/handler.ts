import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import middy from '@middy/core';
import { AWS_CLIENTS } from '#shared/clients/aws-clients.ts';
import { createFifoSenders } from '#shared/clients/fifo-queue.ts';
import { channelGroup, contractGroup, listGroup } from '#shared/domain/messages/groups.ts';
import { now, sleepUntil } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { currentTrace, withTrace } from '#shared/runtime/trace.ts';
import { limitsOf, othersOf } from '#shared/runtime/upstream-variables.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { composeDispatchWork } from './compose.ts';
import { type DispatchSummary, dispatchWork } from './dispatch-work.ts';
import { DispatchWorkEnvironment } from './environment.ts';
import { gaugesOf } from './gauges.ts';

const environment = readEnvironment(DispatchWorkEnvironment);
const log = createLog('dispatch-work');
const metrics = createMetrics(environment.STAGE);
const table = createDynamoTable(
  new DynamoDBClient(AWS_CLIENTS.table),
  environment.WATCH_TABLE,
  tableRuntime,
);
const senderTo = createFifoSenders(currentTrace);
const ports = composeDispatchWork({
  now,
  sleepUntil,
  table,
  cadenceMinutes: environment.POLL_CADENCE_MINUTES,
  limits: limitsOf(environment),
  others: othersOf(environment),
  sendToContracts: senderTo(environment.CONTRACTS_QUEUE_URL, contractGroup),
  sendToLists: senderTo(environment.LISTS_QUEUE_URL, listGroup),
  sendToChannels: senderTo(environment.CHANNELS_QUEUE_URL, channelGroup),
});

export const handler = middy<unknown, DispatchSummary>()
  .use(logged(log, metrics.flush))
  .handler((_event, { awsRequestId }, { signal }) =>
    withTrace(awsRequestId, async () => {
      const summary = await dispatchWork(ports, signal);
      log[summary.unreadable.length === 0 ? 'info' : 'error']('work_dispatched', summary);
      measure(summary);
      return summary;
    }),
  );

/** Measures all gauges of the stack, from what a tick reads anyway. */
function measure(summary: DispatchSummary): void {
  const { UPSTREAM_KEY_ENDS_AT: keyEndsAt, POLL_CADENCE_MINUTES: cadenceMinutes } = environment;
  for (const [metric, value] of gaugesOf(summary, { keyEndsAt, cadenceMinutes })) {
    metrics.measure(metric, value);
  }
}
