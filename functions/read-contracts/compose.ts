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
import type { FindCollection } from '#shared/use-cases/upstream.ts';
import type { ReadContractsPorts } from './ports.ts';

type Outside = Pick<
  ReadContractsPorts,
  | 'now'
  | 'sleepUntil'
  | 'configuredCadenceMinutes'
  | 'hasSecondSource'
  | 'floorHistory'
  | 'readPicture'
  | 'takeCall'
> & {
  readonly table: Table;
  /** Of the first provider. */
  readonly limits: UpstreamLimits;
  /** The search of a provider with its limits; undefined where no provider has a search. */
  readonly search:
    | { readonly limits: UpstreamLimits; readonly findCollection: FindCollection }
    | undefined;
};

/** The ports of one instance of this function. */
export function composeReadContracts({
  table,
  limits,
  search,
  ...outside
}: Outside): Omit<ReadContractsPorts, 'remainingTime'> {
  const { now } = outside;
  const governorOf = (one: UpstreamLimits) => {
    const records = createGovernorStore(table, one.provider);
    const { lease, learn } = createUpstreamGovernor(records, 'interface', one, now);
    return { leaseCalls: lease, learnOfCall: learn };
  };
  const history = createHistoryStore(table);
  return {
    ...outside,
    ...governorOf(limits),
    search: {
      ...outside,
      ...governorOf(search?.limits ?? limits),
      findCollection: search?.findCollection,
    },
    getCadences: remembered(createCadenceStore(table).cadences, CADENCE_KEPT_FOR, now),
    getProgress: createDispatchStore(table).progress,
    getGovernor: createGovernorStore(table, limits.provider).get,
    watchlistsOf: createWatchlistStore(table).ofTenant,
    getContract: createContractStore(table, now).get,
    getCollection: createCollectionStore(table).get,
    recordedBetween: (contract, part, from, to, limit) =>
      history.newest(contract, part, { from, to, each: 'point', limit }),
    pricesBetween: history.between,
    recordedSince: history.since,
  };
}
