import { channelGroup, contractGroup, listGroup } from '#shared/domain/messages/groups.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { limitsOf, othersOf } from '#shared/runtime/upstream-variables.ts';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDispatchStore } from '#shared/stores/dispatch-store.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createHintStore } from '#shared/stores/hint-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import type { DispatchWorkPorts, PlannedProvider } from './dispatch-work.ts';
import { DispatchWorkEnvironment } from './environment.ts';

export type DispatchWorkOutside = Basics & Pick<Outside, 'senderTo' | 'table'>;

/** The ports of one instance of this function, with its log and its metrics. */
export function composeDispatchWork(outside: DispatchWorkOutside) {
  const { now, sleepUntil, senderTo } = outside;
  const environment = readEnvironment(DispatchWorkEnvironment, outside.variables);
  const log = outside.logOf('dispatch-work');
  const metrics = createMetrics(environment.STAGE, now);
  const table = outside.table(environment.WATCH_TABLE);
  const planned = (limitsOfKey: UpstreamLimits): PlannedProvider => {
    const governor = createGovernorStore(table, limitsOfKey.provider);
    return { limits: limitsOfKey, getGovernor: governor.get, putGovernor: governor.put };
  };
  const cadences = createCadenceStore(table);
  const dispatch = createDispatchStore(table);
  const hints = createHintStore(table);
  const inbox = createInboxStore(table);
  const ports: DispatchWorkPorts = {
    now,
    sleepUntil,
    cadenceMinutes: environment.POLL_CADENCE_MINUTES,
    ...planned(limitsOf(environment)),
    others: othersOf(environment).map(({ limits }) => planned(limits)),
    getCadences: cadences.cadences,
    noteCadences: cadences.noteCadences,
    getProgress: dispatch.progress,
    finish: dispatch.finish,
    allContracts: createContractStore(table, now).all,
    dueTimers: dispatch.dueFromCursors,
    channelsDue: dispatch.channelsDue,
    getHints: hints.get,
    putHints: hints.putAfterLook,
    removeHints: hints.remove,
    hasWaiting: async (destinationId) => {
      const { entries } = await inbox.next(destinationId, 1, now());
      return entries.length > 0;
    },
    sendToContracts: senderTo(environment.CONTRACTS_QUEUE_URL, contractGroup),
    sendToLists: senderTo(environment.LISTS_QUEUE_URL, listGroup),
    sendToChannels: senderTo(environment.CHANNELS_QUEUE_URL, channelGroup),
  };
  return { ports, log, metrics, environment };
}
