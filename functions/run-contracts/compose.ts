import { createUpstreamGovernor } from '#shared/clients/upstream-governor.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { createChangeJobStore } from '#shared/stores/change-job-store.ts';
import { createCollectionStore } from '#shared/stores/collection-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { createSaleLog } from '#shared/stores/trade-store.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { keepingSales } from '#shared/use-cases/keep-sales.ts';
import type { PriceSource, RunContractsPorts } from './ports.ts';

type ConfiguredProvider<Upstream = PriceSource['upstream']> = {
  readonly limits: UpstreamLimits;
  readonly upstream: Upstream;
};

type Outside = Pick<
  RunContractsPorts,
  'now' | 'sleepUntil' | 'sendToContracts' | 'sendToLists' | 'report'
> &
  ConfiguredProvider<RunContractsPorts['upstream']> & {
    readonly table: Table;
    readonly others: readonly ConfiguredProvider[];
    /** Called after each call of a provider. */
    readonly onCall?: (outcome: Outcome<unknown>['kind']) => void;
  };

/** The ports of one instance of this function. */
export function composeRunContracts({
  table,
  limits,
  upstream,
  others,
  onCall,
  ...outside
}: Outside): Omit<RunContractsPorts, 'remainingTime'> {
  const { now, sleepUntil } = outside;
  const sourceOf = <Upstream extends PriceSource['upstream']>(
    configured: ConfiguredProvider<Upstream>,
  ): PriceSource & { readonly upstream: Upstream } => {
    const { provider } = configured.limits;
    const sales = createSaleLog(table, provider);
    const records = createGovernorStore(table, provider);
    const governor = createUpstreamGovernor(records, 'polling', configured.limits, now);
    return {
      ...{ now, sleepUntil, provider, upstream: keepingSales(configured.upstream, sales, now) },
      leaseCalls: governor.lease,
      takeTry: governor.takeTry,
      learnOfCall: async (call, outcome, probe, requests) => {
        onCall?.(outcome.kind);
        await governor.learn(call, outcome, probe, requests);
      },
    };
  };
  const contracts = createContractStore(table, outside.now);
  const watches = createWatchStore(table);
  const changeJobs = createChangeJobStore(table);
  const history = createHistoryStore(table);
  return {
    ...outside,
    ...sourceOf({ limits, upstream }),
    others: others.map(sourceOf),
    getContract: contracts.get,
    putContract: contracts.put,
    getCollection: createCollectionStore(table).get,
    recordHistory: history.record,
    fillHistory: history.fill,
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
