import { createAcknowledgementStore } from '#shared/stores/acknowledgement-store.ts';
import { createAddressStore } from '#shared/stores/address-store.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createChangeJobStore } from '#shared/stores/change-job-store.ts';
import { createChangeStore } from '#shared/stores/change-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createCollectionStore } from '#shared/stores/collection-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { createListTopicStore } from '#shared/stores/list-topic-store.ts';
import { createMuteStore } from '#shared/stores/mute-store.ts';
import { createQuotaUsageStore } from '#shared/stores/quota-usage-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import type { NotifyWatchersPorts } from './ports.ts';

type Outside = Pick<
  NotifyWatchersPorts,
  | 'now'
  | 'newVersion'
  | 'configuredCadenceMinutes'
  | 'stackSlack'
  | 'operatorAlerts'
  | 'hasTopic'
  | 'keepSubscribers'
  | 'removeTopics'
  | 'readWallet'
  | 'readWalletsEvery'
  | 'sendToContracts'
  | 'sendToChannels'
  | 'report'
> & { readonly table: Table };

/** The ports of one instance of this function. */
export function composeNotifyWatchers({
  table,
  ...outside
}: Outside): Omit<NotifyWatchersPorts, 'remainingTime'> {
  const watches = createWatchStore(table);
  const watchlists = createWatchlistStore(table);
  const alerts = createAlertStore(table);
  const changeJobs = createChangeJobStore(table);
  const channels = createChannelStore(table);
  const addresses = createAddressStore(table);
  const topics = createListTopicStore(table);
  const quotaUsage = createQuotaUsageStore(table);
  const changes = createChangeStore(table);
  return {
    ...outside,
    getWatch: watches.get,
    putWatch: watches.put,
    deleteWatch: watches.delete,
    watchesOfList: watches.ofList,
    getWatchlist: watchlists.get,
    putWatchlist: watchlists.put,
    // A wallet changes no channel of its list, which alone takes a message to the list itself.
    sendToLists: async () => {},
    getCadences: createCadenceStore(table).cadences,
    getQuotaUsage: quotaUsage.get,
    putQuotaUsage: quotaUsage.put,
    getChange: changes.get,
    putChange: changes.put,
    heldAt: createHistoryStore(table).heldAt,
    getCollection: createCollectionStore(table).get,
    alertsOfList: alerts.ofList,
    putChangedDocument: changes.putDocument,
    getMutes: createMuteStore(table).get,
    getAcknowledgement: createAcknowledgementStore(table).get,
    getAlert: alerts.get,
    putAlert: alerts.put,
    getChangeJob: changeJobs.get,
    expiryJobs: changeJobs.expiries,
    putChangeJobs: changeJobs.put,
    makeChangeJob: changeJobs.make,
    settleChangeJob: changeJobs.settle,
    replaceChangeJob: changeJobs.replace,
    putInInbox: createInboxStore(table).put,
    getChannel: channels.get,
    putChannel: channels.put,
    channelsOfList: channels.ofList,
    getAddress: addresses.get,
    putAddress: addresses.put,
    getTopics: topics.get,
    putTopics: topics.put,
  };
}
