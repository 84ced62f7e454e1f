import { createUpstreamGovernor } from '#shared/clients/upstream-governor.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { createChangeJobStore } from '#shared/stores/change-job-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import type { RunContractsPorts } from './ports.ts';

type Outside = Pick<
  RunContractsPorts,
  'now' | 'sleepUntil' | 'upstream' | 'sendToContracts' | 'sendToLists' | 'report'
> & { readonly table: Table; readonly limits: UpstreamLimits };

/** The ports of one instance of this function. */
export function composeRunContracts({
  table,
  limits,
  ...outside
}: Outside): Omit<RunContractsPorts, 'remainingTime'> {
  const governor = createUpstreamGovernor(
    createGovernorStore(table, limits.provider),
    'polling',
    limits,
    outside.now,
  );
  const contracts = createContractStore(table, outside.now);
  const watches = createWatchStore(table);
  const changeJobs = createChangeJobStore(table);
  const history = createHistoryStore(table);
  return {
    ...outside,
    leaseCalls: governor.lease,
    takeTry: governor.takeTry,
    learnOfCall: governor.learn,
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
  };
}
