import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import { createFifoSender } from '#shared/clients/fifo-queue.ts';
import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { channelGroup, contractGroup, listGroup } from '#shared/domain/messages/groups.ts';
import { limitsOf } from '#shared/domain/polling/upstream-limits.ts';
import { now, sleepUntil } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createMetrics, type Metric } from '#shared/runtime/metrics.ts';
import { currentTrace, withTrace } from '#shared/runtime/trace.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDispatchStore } from '#shared/stores/dispatch-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { type DispatchSummary, type DispatchWorkPorts, dispatchWork } from './dispatch-work.ts';
import { DispatchWorkEnvironment } from './environment.ts';

const environment = readEnvironment(DispatchWorkEnvironment);
const log = createLog('dispatch-work');
const metrics = createMetrics(environment.STAGE);
const table = createDynamoTable(new DynamoDBClient({ maxAttempts: 3 }), environment.WATCH_TABLE);
const queues = new SQSClient({ maxAttempts: 3, useQueueUrlAsEndpoint: false });
const contracts = createContractStore(table, now);
const governor = createGovernorStore(table);
const dispatch = createDispatchStore(table);

const ports: DispatchWorkPorts = {
  now,
  sleepUntil,
  cadenceMinutes: environment.POLL_CADENCE_MINUTES,
  limits: limitsOf(environment),
  getGovernor: governor.get,
  putGovernor: governor.put,
  getCadences: governor.cadences,
  noteCadences: governor.noteCadences,
  getProgress: dispatch.progress,
  finish: dispatch.finish,
  allContracts: contracts.all,
  dueTimers: dispatch.dueFromCursors,
  sendToContracts: createFifoSender(
    queues,
    environment.CONTRACTS_QUEUE_URL,
    contractGroup,
    currentTrace,
  ),
  sendToLists: createFifoSender(queues, environment.LISTS_QUEUE_URL, listGroup, currentTrace),
  sendToChannels: createFifoSender(
    queues,
    environment.CHANNELS_QUEUE_URL,
    channelGroup,
    currentTrace,
  ),
};

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
  const { at, dataAge, budgetUsed } = summary;
  const age = (metric: Metric, since: Instant | undefined) => {
    if (since !== undefined) metrics.measure(metric, Math.max(0, at - since) / SECOND);
  };
  metrics.measure('Ticks');
  metrics.measure('ContractsWatched', dataAge.watched);
  metrics.measure('PollsSent', summary.polls);
  metrics.measure('Cadence', summary.cadenceMinutes);
  metrics.measure('UpstreamDenied', summary.deniedSince === undefined ? 0 : 1);
  metrics.measure('DayBudgetUsed', budgetUsed.inDay);
  metrics.measure('MonthBudgetUsed', budgetUsed.inMonth);
  metrics.measure('ContractsSilent', (100 * dataAge.silent) / Math.max(1, dataAge.watched));
  age('FreshestDataAge', dataAge.freshest);
  age('OldestDataAge', dataAge.oldest);
  age('WorkOverdue', summary.overdueSince ?? at);
  metrics.measure('BrokenItems', summary.unreadable.length);
}
