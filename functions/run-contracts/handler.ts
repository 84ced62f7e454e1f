import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { createFifoSender } from '#shared/clients/fifo-queue.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import {
  createParameterStore,
  ParameterStoreEnvironment,
} from '#shared/clients/parameter-store.ts';
import { createSecretReader } from '#shared/clients/secrets.ts';
import { createUpstream } from '#shared/clients/upstream.ts';
import { createUpstreamGovernor } from '#shared/clients/upstream-governor.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import { ContractMessage } from '#shared/domain/messages/contract-message.ts';
import { contractGroup, listGroup } from '#shared/domain/messages/groups.ts';
import { limitsOf } from '#shared/domain/polling/upstream-limits.ts';
import { now, sleepUntil } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { handleFifoRecords, tracesOf } from '#shared/runtime/fifo-records.ts';
import { createLog } from '#shared/runtime/log.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createMetrics, type Metric } from '#shared/runtime/metrics.ts';
import { createReport } from '#shared/runtime/report.ts';
import { currentTrace } from '#shared/runtime/trace.ts';
import { createChangeJobStore } from '#shared/stores/change-job-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { RunContractsEnvironment } from './environment.ts';
import type { RunContractsEvents, RunContractsPorts } from './ports.ts';
import { runContracts } from './run-contracts.ts';

const environment = readEnvironment(RunContractsEnvironment);
const log = createLog('run-contracts');
const metrics = createMetrics(environment.STAGE);
const table = createDynamoTable(new DynamoDBClient({ maxAttempts: 3 }), environment.WATCH_TABLE);
const queues = new SQSClient({ maxAttempts: 3, useQueueUrlAsEndpoint: false });
const http = createHttpClient({
  deadlineMs: 8000,
  maxBodyBytes: 4 * 1024 * 1024,
  maxConnections: 8,
});
const getParameter = createParameterStore(readEnvironment(ParameterStoreEnvironment), {
  now,
  sleepUntil,
});
const upstream = createUpstream({
  http,
  baseUrl: environment.UPSTREAM_URL,
  apiKey: createSecretReader(getParameter, environment.UPSTREAM_KEY_PARAMETER, now),
  now,
});
const governor = createUpstreamGovernor(
  createGovernorStore(table),
  'polling',
  limitsOf(environment),
  now,
);
const contracts = createContractStore(table, now);
const watches = createWatchStore(table);
const changeJobs = createChangeJobStore(table);
const history = createHistoryStore(table);

/** The metric that counts each outcome of a call. */
const CALLS: Readonly<Record<Outcome<unknown>['kind'], Metric>> = {
  ok: 'CallsOk',
  empty: 'CallsEmpty',
  not_ready: 'CallsNotReady',
  not_found: 'CallsNotFound',
  unsupported: 'CallsUnsupported',
  denied: 'CallsDenied',
  throttled: 'CallsThrottled',
  failed: 'CallsFailed',
};

const ports: Omit<RunContractsPorts, 'remainingTime'> = {
  now,
  sleepUntil,
  leaseCalls: governor.lease,
  takeTry: governor.takeTry,
  learnOfCall: async (call, outcome, probe) => {
    metrics.measure(CALLS[outcome.kind]);
    await governor.learn(call, outcome, probe);
  },
  upstream,
  getContract: contracts.get,
  putContract: contracts.put,
  recordHistory: history.record,
  recordedSince: history.since,
  watchesReached: watches.reached,
  watchesOfList: watches.allOfList,
  isWatchedBy: watches.isWatchedBy,
  thresholdIndexesNeeded: watches.thresholdIndexesNeeded,
  getWatch: watches.get,
  putWatch: watches.put,
  deleteWatch: watches.delete,
  getWatchlist: createWatchlistStore(table).get,
  getChangeJob: changeJobs.get,
  settleChangeJob: changeJobs.settle,
  sendToContracts: createFifoSender(
    queues,
    environment.CONTRACTS_QUEUE_URL,
    contractGroup,
    currentTrace,
  ),
  sendToLists: createFifoSender(queues, environment.LISTS_QUEUE_URL, listGroup, currentTrace),
  report: createReport<RunContractsEvents>(log, {
    contract_not_polled: () => metrics.measure('PollsPutOff'),
    alerts_made: ({ alerts }) => metrics.measure('AlertsMade', alerts.length),
    watch_evaluation_failed: () => metrics.measure('BrokenItems'),
    history_unreadable: () => metrics.measure('BrokenItems'),
  }),
};

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(logged(log, (event: SQSEvent) => ({ ...tracesOf(event), ...metrics.flush() })))
  .handler((event, context, { signal }) => {
    const invocation = { ...ports, remainingTime: () => context.getRemainingTimeInMillis() };
    return handleFifoRecords(event, ContractMessage, { log, metrics }, (message) =>
      runContracts(invocation, message, signal),
    );
  });
