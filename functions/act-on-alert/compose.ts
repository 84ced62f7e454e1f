import { listGroup } from '#shared/domain/messages/groups.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createAcknowledgementStore } from '#shared/stores/acknowledgement-store.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createChangeCommit } from '#shared/stores/change-commit.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
import { createMuteStore } from '#shared/stores/mute-store.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { ActOnAlertEnvironment } from './environment.ts';
import type { ActOnAlertPorts } from './ports.ts';

export type ActOnAlertOutside = Basics & Pick<Outside, 'secret' | 'senderTo' | 'table'>;

/** Creates the ports and the log of one Lambda instance. */
export function composeActOnAlert(outside: ActOnAlertOutside) {
  const environment = readEnvironment(ActOnAlertEnvironment, outside.variables);
  const log = outside.logOf('act-on-alert');
  const table = outside.table(environment.WATCH_TABLE);
  const readKey = outside.secret(environment.LINK_KEY_PARAMETER);
  const mutes = createMuteStore(table);
  const channels = createChannelStore(table);
  const jobs = createJobStore(table);
  const acknowledgements = createAcknowledgementStore(table);
  const ports: ActOnAlertPorts = {
    now: outside.now,
    newVersion: outside.uniqueNumber,
    readKey: () => readKey(false),
    sendToLists: outside.senderTo(environment.LISTS_QUEUE_URL, listGroup),
    report: log.info,
    getAlert: createAlertStore(table).getPosted,
    getWatch: createWatchStore(table).get,
    getMutes: mutes.get,
    getWatchlist: createWatchlistStore(table).get,
    getChannel: channels.get,
    putChannel: channels.put,
    getJob: jobs.get,
    replaceJob: jobs.replace,
    getAcknowledgement: acknowledgements.get,
    commitChange: createChangeCommit(table),
  };
  return { ports, log };
}
