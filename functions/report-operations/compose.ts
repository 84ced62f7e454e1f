import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createDispatchStore } from '#shared/stores/dispatch-store.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import type { Table } from '#shared/stores/table.ts';
import type { ReportOperationsPorts } from './ports.ts';

type Outside = Omit<
  ReportOperationsPorts,
  'getProgress' | 'getGovernor' | 'getCadences' | 'overdueSince'
> & { readonly table: Table };

/** The ports of one instance of this function. */
export function composeReportOperations({ table, ...outside }: Outside): ReportOperationsPorts {
  const dispatch = createDispatchStore(table);
  return {
    ...outside,
    getProgress: dispatch.progress,
    getGovernor: (provider) => createGovernorStore(table, provider).get(),
    getCadences: createCadenceStore(table).cadences,
    overdueSince: async (now) => (await dispatch.due(now, 1)).overdueSince,
  };
}
