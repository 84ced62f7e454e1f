import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDispatchStore } from '#shared/stores/dispatch-store.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import type { Table } from '#shared/stores/table.ts';
import type { DispatchWorkPorts, PlannedProvider } from './dispatch-work.ts';

type Outside = Pick<
  DispatchWorkPorts,
  'now' | 'sleepUntil' | 'cadenceMinutes' | 'sendToContracts' | 'sendToLists' | 'sendToChannels'
> & {
  readonly table: Table;
  readonly limits: UpstreamLimits;
  readonly others: readonly { readonly limits: UpstreamLimits }[];
};

/** The ports of one instance of this function. */
export function composeDispatchWork({
  table,
  limits,
  others,
  ...outside
}: Outside): DispatchWorkPorts {
  const planned = (limitsOfKey: UpstreamLimits): PlannedProvider => {
    const governor = createGovernorStore(table, limitsOfKey.provider);
    return { limits: limitsOfKey, getGovernor: governor.get, putGovernor: governor.put };
  };
  const cadences = createCadenceStore(table);
  const dispatch = createDispatchStore(table);
  return {
    ...outside,
    ...planned(limits),
    others: others.map((other) => planned(other.limits)),
    getCadences: cadences.cadences,
    noteCadences: cadences.noteCadences,
    getProgress: dispatch.progress,
    finish: dispatch.finish,
    allContracts: createContractStore(table, outside.now).all,
    dueTimers: dispatch.dueFromCursors,
    channelsDue: dispatch.channelsDue,
  };
}
