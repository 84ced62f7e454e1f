import type { StackTableOptions } from '#infra/operate/stack-option.ts';
import { openStackTable } from '#infra/operate/stack-table.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import type { BulkTable } from '#shared/stores/bulk-table.ts';
import { createBulkTable } from '#shared/stores/dynamo-bulk-table.ts';

/** Connects to the table of a stack, for bulk writes. */
export async function openArchiveTable(options: StackTableOptions): Promise<BulkTable> {
  const { client, name } = await openStackTable(options);
  return createBulkTable(client, name, tableRuntime);
}
