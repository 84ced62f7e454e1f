import { channelGroup, contractGroup } from '#shared/domain/messages/groups.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { createReport } from '#shared/runtime/report.ts';
import { createCollectionStore } from '#shared/stores/collection-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
import { createPostIntentStore } from '#shared/stores/post-intent-store.ts';
import { TABLE_LIMITS } from '#shared/stores/table.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { RunContractsEnvironment } from './environment.ts';
import type { RunContractsEvents, RunContractsPorts } from './ports.ts';

export type RunContractsOutside = Basics & Pick<Outside, 'senderTo' | 'table'>;

/** Creates the ports, the log and the metrics of one Lambda instance. */
export function composeRunContracts(outside: RunContractsOutside) {
  const { now, senderTo } = outside;
  const environment = readEnvironment(RunContractsEnvironment, outside.variables);
  const log = outside.logOf('run-contracts');
  const metrics = createMetrics(environment.STAGE, now);
  const table = outside.table(environment.WATCH_TABLE);
  const contracts = createContractStore(table, now);
  const watches = createWatchStore(table);
  const { get: getWatchlist } = createWatchlistStore(table);
  const jobs = createJobStore(table);
  const history = createHistoryStore(table);
  const ports: Omit<RunContractsPorts, 'remainingTime'> = {
    now,
    getContract: contracts.get,
    putContract: contracts.put,
    getCollection: createCollectionStore(table).get,
    recordHistory: history.record,
    recordedSince: history.since,
    watchesReached: watches.reached,
    watchesWoken: watches.woken,
    earliestTimers: watches.earliestTimers,
    watchesOfList: watches.allOfList,
    isWatchedBy: watches.isWatchedBy,
    thresholdIndexesNeeded: watches.thresholdIndexesNeeded,
    getWatch: watches.get,
    putWatch: watches.put,
    commitWatch: watches.commit,
    writesOfTransaction: TABLE_LIMITS.writesOfTransaction,
    deleteWatch: watches.delete,
    getWatchlist,
    getJob: jobs.get,
    noteApplied: jobs.noteApplied,
    settleJob: jobs.settle,
    sendToContracts: senderTo(environment.CONTRACTS_QUEUE_URL, contractGroup),
    sendToChannels: senderTo(environment.CHANNELS_QUEUE_URL, channelGroup),
    stackSlack: environment.STACK_SLACK,
    operatorAlerts: environment.OPERATOR_ALERTS,
    newVersion: outside.uniqueNumber,
    putPostIntent: createPostIntentStore(table).put,
    report: createReport<RunContractsEvents>(log, {
      alerts_made: ({ alerts }) => metrics.measure('AlertsMade', alerts.length),
      watch_evaluation_failed: () => metrics.measure('BrokenItems'),
      history_unreadable: () => metrics.measure('BrokenItems'),
    }),
  };
  return { ports, log, metrics };
}
