import { channelGroup, listGroup } from '#shared/domain/messages/groups.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { createDueStore } from '#shared/stores/due-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { createPostIntentStore } from '#shared/stores/post-intent-store.ts';
import { WakeWorkEnvironment } from './environment.ts';
import type { WakeWorkPorts } from './ports.ts';

export type WakeWorkOutside = Basics & Pick<Outside, 'senderTo' | 'table'>;

/** Creates the ports, the log and the metrics of one Lambda instance. */
export function composeWakeWork(outside: WakeWorkOutside) {
  const { now, sleepUntil, senderTo } = outside;
  const environment = readEnvironment(WakeWorkEnvironment, outside.variables);
  const log = outside.logOf('wake-work');
  const metrics = createMetrics(environment.STAGE, now);
  const table = outside.table(environment.WATCH_TABLE);
  const due = createDueStore(table);
  const intent = createPostIntentStore(table);
  const inbox = createInboxStore(table);
  const ports: WakeWorkPorts = {
    now,
    sleepUntil,
    getCursors: due.cursors,
    noteCursors: due.noteCursors,
    dueTimers: due.dueFromCursors,
    channelsDue: due.channelsDue,
    getPostIntent: intent.get,
    putPostIntent: intent.putAfterCheck,
    removePostIntent: intent.remove,
    hasWaiting: async (destinationId) => {
      const { entries } = await inbox.next(destinationId, 1, now());
      return entries.length > 0;
    },
    sendToLists: senderTo(environment.LISTS_QUEUE_URL, listGroup),
    sendToChannels: senderTo(environment.CHANNELS_QUEUE_URL, channelGroup),
  };
  return { ports, log, metrics };
}
