import { createAcknowledgementStore } from '#shared/stores/acknowledgement-store.ts';
import { createAddressStore } from '#shared/stores/address-store.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { CADENCE_KEPT_FOR, createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createChangeJobStore } from '#shared/stores/change-job-store.ts';
import { createChangeStore } from '#shared/stores/change-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createCollectionStore } from '#shared/stores/collection-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDispatchStore } from '#shared/stores/dispatch-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createKeyedRequestStore } from '#shared/stores/keyed-request-store.ts';
import { createMuteStore } from '#shared/stores/mute-store.ts';
import { createQuotaUsageStore } from '#shared/stores/quota-usage-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { remembered } from '#shared/use-cases/remembered.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

type Outside = Pick<
  ManageWatchlistsPorts,
  | 'now'
  | 'newVersion'
  | 'newNumber'
  | 'configuredCadenceMinutes'
  | 'hasSecondSource'
  | 'webhooks'
  | 'sealSecret'
  | 'requestUnitsPerMinute'
  | 'takeAddresses'
  | 'charge'
  | 'searchCollection'
  | 'readWallet'
  | 'sendToContracts'
  | 'sendToLists'
  | 'report'
> & { readonly table: Table };

/** The ports of one instance of this function. */
export function composeManageWatchlists({ table, ...outside }: Outside): ManageWatchlistsPorts {
  const watchlists = createWatchlistStore(table);
  const changeJobs = createChangeJobStore(table);
  const mutes = createMuteStore(table);
  const quotaUsage = createQuotaUsageStore(table);
  const requests = createKeyedRequestStore(table);
  const watches = createWatchStore(table);
  const alerts = createAlertStore(table);
  const changes = createChangeStore(table);
  const contracts = createContractStore(table, outside.now);
  const collections = createCollectionStore(table);
  const history = createHistoryStore(table);
  const acknowledgements = createAcknowledgementStore(table);
  return {
    ...outside,
    getRequest: requests.get,
    putRequest: requests.put,
    removeRequest: requests.remove,
    getCadences: remembered(createCadenceStore(table).cadences, CADENCE_KEPT_FOR, outside.now),
    getWatchlist: watchlists.get,
    putWatchlist: watchlists.put,
    watchlistsOf: watchlists.ofTenant,
    salvageWatchlist: watchlists.salvage,
    watchedContracts: contracts.keys,
    getUsedUnits: (tenant, policy) => createUsageStore(table, policy).get(tenant),
    getAddress: createAddressStore(table).get,
    getQuotaUsage: quotaUsage.get,
    putQuotaUsage: quotaUsage.put,
    channelsOfList: createChannelStore(table).ofList,
    getMutes: mutes.get,
    putMutes: mutes.put,
    putChangeJobs: changeJobs.put,
    countPendingChanges: changeJobs.countContracts,
    getContract: contracts.get,
    getCollection: collections.get,
    putCollection: collections.put,
    getWatch: watches.get,
    watchesOfList: watches.allOfList,
    watchesOfTenant: watches.allOfTenant,
    getAlert: alerts.get,
    alertsOf: alerts.ofList,
    acknowledgementsOf: acknowledgements.ofList,
    getAcknowledgement: acknowledgements.get,
    putAcknowledgement: acknowledgements.put,
    getChange: changes.get,
    putChange: changes.put,
    getChangedDocument: changes.getDocument,
    putChangedDocument: changes.putDocument,
    changesOf: (tenant, limit, after) => changes.ofTenant(tenant, outside.now(), limit, after),
    recordedSince: history.since,
    heldAt: history.heldAt,
    getProgress: createDispatchStore(table).progress,
  };
}
