import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createChangeJobStore } from '#shared/stores/change-job-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import type { DeliverMessagesPorts } from './ports.ts';

type Outside = Pick<
  DeliverMessagesPorts,
  | 'now'
  | 'newVersion'
  | 'sleepUntil'
  | 'stackSlack'
  | 'messageLinks'
  | 'send'
  | 'prove'
  | 'sendToChannels'
  | 'report'
> & { readonly table: Table };

/** The ports of one instance of this function. */
export function composeDeliverMessages({
  table,
  ...outside
}: Outside): Omit<DeliverMessagesPorts, 'remainingTime'> {
  const alerts = createAlertStore(table);
  const changeJobs = createChangeJobStore(table);
  const channels = createChannelStore(table);
  const inbox = createInboxStore(table);
  return {
    ...outside,
    getWatchlist: createWatchlistStore(table).get,
    getChangeJob: changeJobs.get,
    replaceChangeJob: changeJobs.replace,
    getAlert: alerts.get,
    putAlert: alerts.put,
    getChannel: channels.get,
    putChannel: channels.put,
    removeChannel: channels.remove,
    putInInbox: inbox.put,
    oldestInInbox: inbox.oldest,
    nextInInbox: async (destinationId, limit, now) => {
      const { unreadable, ...next } = await inbox.next(destinationId, limit, now);
      for (const alert of unreadable) outside.report('alert_unreadable', { destinationId, alert });
      return next;
    },
    namedInInbox: inbox.named,
    removeFromInbox: inbox.remove,
  };
}
