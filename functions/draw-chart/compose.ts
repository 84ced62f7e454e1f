import { createHistoryStore } from '#shared/stores/history-store.ts';
import type { Table } from '#shared/stores/table.ts';
import type { DrawChartPorts } from './routes.ts';

type Outside = Omit<DrawChartPorts, 'recordedBetween'> & { readonly table: Table };

/** The ports of one instance of this function. */
export function composeDrawChart({ table, ...outside }: Outside): DrawChartPorts {
  return { ...outside, recordedBetween: createHistoryStore(table).since };
}
