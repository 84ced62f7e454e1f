import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDispatchStore } from '#shared/stores/dispatch-store.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import type { Table } from '#shared/stores/table.ts';
import type { DispatchWorkPorts } from './dispatch-work.ts';

type Outside = Pick<
  DispatchWorkPorts,
  | 'now'
  | 'sleepUntil'
  | 'cadenceMinutes'
  | 'limits'
  | 'sendToContracts'
  | 'sendToLists'
  | 'sendToChannels'
> & { readonly table: Table };

/** The ports of one instance of this function. */
export function composeDispatchWork({ table, ...outside }: Outside): DispatchWorkPorts {
  const governor = createGovernorStore(table, outside.limits.provider);
  const cadences = createCadenceStore(table);
  const dispatch = createDispatchStore(table);
  return {
    ...outside,
    getGovernor: governor.get,
    putGovernor: governor.put,
    getCadences: cadences.cadences,
    noteCadences: cadences.noteCadences,
    getProgress: dispatch.progress,
    finish: dispatch.finish,
    allContracts: createContractStore(table, outside.now).all,
    dueTimers: dispatch.dueFromCursors,
  };
}
