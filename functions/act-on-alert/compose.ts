import { createAcknowledgementStore } from '#shared/stores/acknowledgement-store.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createChangeJobStore } from '#shared/stores/change-job-store.ts';
import { createChangeStore } from '#shared/stores/change-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createMuteStore } from '#shared/stores/mute-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import type { ActOnAlertPorts } from './ports.ts';

type Outside = Pick<
  ActOnAlertPorts,
  'now' | 'newVersion' | 'readKey' | 'sendToLists' | 'report'
> & { readonly table: Table };

/** The ports of one instance of this function. */
export function composeActOnAlert({ table, ...outside }: Outside): ActOnAlertPorts {
  const mutes = createMuteStore(table);
  const channels = createChannelStore(table);
  const changeJobs = createChangeJobStore(table);
  const changes = createChangeStore(table);
  const acknowledgements = createAcknowledgementStore(table);
  return {
    ...outside,
    getAlert: createAlertStore(table).get,
    getWatch: createWatchStore(table).get,
    getMutes: mutes.get,
    putMutes: mutes.put,
    getWatchlist: createWatchlistStore(table).get,
    getChannel: channels.get,
    putChannel: channels.put,
    putChangeJobs: changeJobs.put,
    getChangeJob: changeJobs.get,
    replaceChangeJob: changeJobs.replace,
    getAcknowledgement: acknowledgements.get,
    putAcknowledgement: acknowledgements.put,
    getChange: changes.get,
    putChange: changes.put,
  };
}
