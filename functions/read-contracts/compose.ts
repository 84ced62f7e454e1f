import { createUpstreamGovernor } from '#shared/clients/upstream-governor.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { CADENCE_KEPT_FOR, createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createCollectionStore } from '#shared/stores/collection-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDispatchStore } from '#shared/stores/dispatch-store.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { remembered } from '#shared/use-cases/remembered.ts';
import type { ReadContractsPorts } from './ports.ts';

type Outside = Pick<
  ReadContractsPorts,
  | 'now'
  | 'sleepUntil'
  | 'configuredCadenceMinutes'
  | 'hasSecondSource'
  | 'floorHistory'
  | 'readPicture'
  | 'findCollection'
  | 'takeCall'
> & { readonly table: Table; readonly limits: UpstreamLimits };

/** The ports of one instance of this function. */
export function composeReadContracts({
  table,
  limits,
  ...outside
}: Outside): Omit<ReadContractsPorts, 'remainingTime'> {
  const { now } = outside;
  const governor = createGovernorStore(table, limits.provider);
  const history = createHistoryStore(table);
  const calls = createUpstreamGovernor(governor, 'interface', limits, now);
  return {
    ...outside,
    leaseCalls: calls.lease,
    learnOfCall: calls.learn,
    getCadences: remembered(createCadenceStore(table).cadences, CADENCE_KEPT_FOR, now),
    getProgress: createDispatchStore(table).progress,
    getGovernor: governor.get,
    watchlistsOf: createWatchlistStore(table).ofTenant,
    getContract: createContractStore(table, now).get,
    getCollection: createCollectionStore(table).get,
    recordedBetween: (contract, part, from, to, limit) =>
      history.newest(contract, part, { from, to, each: 'point', limit }),
    pricesBetween: history.between,
    recordedSince: history.since,
  };
}
