import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createChangeJobStore } from '#shared/stores/change-job-store.ts';
import { createChangeStore } from '#shared/stores/change-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { createKeyedRequestStore } from '#shared/stores/keyed-request-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import type { ManageChannelsPorts } from './ports.ts';

type Outside = Pick<
  ManageChannelsPorts,
  'now' | 'newNumber' | 'topicOf' | 'confirm' | 'sendToChannels'
> & { readonly table: Table };

/** The ports of one instance of this function. */
export function composeManageChannels({ table, ...outside }: Outside): ManageChannelsPorts {
  const alerts = createAlertStore(table);
  const channels = createChannelStore(table);
  const inbox = createInboxStore(table);
  const requests = createKeyedRequestStore(table);
  return {
    ...outside,
    getRequest: requests.get,
    putRequest: requests.put,
    removeRequest: requests.remove,
    getWatchlist: createWatchlistStore(table).get,
    getAlert: alerts.get,
    putAlert: alerts.put,
    getChannel: channels.get,
    putChannel: channels.put,
    channelsOfList: channels.ofList,
    countPendingChanges: createChangeJobStore(table).countContracts,
    putChange: createChangeStore(table).put,
    putInInbox: inbox.put,
    oldestInInbox: inbox.oldest,
  };
}
