import { setTimeout as sleep } from 'node:timers/promises';
import { openStackTable, type StackTableOptions } from '#infra/operate/stack-table.ts';
import type { BulkTable } from '#shared/stores/bulk-table.ts';
import { createBulkTable } from '#shared/stores/dynamo-bulk-table.ts';

/** The table of the stack that is meant. */
export async function openArchiveTable(options: StackTableOptions): Promise<BulkTable> {
  const { client, name } = await openStackTable(options);
  return createBulkTable(client, name, pause);
}

/** Longer each time, up to ten seconds, and never for all at the same moment. */
async function pause(attempt: number): Promise<void> {
  const most = Math.min(50 * 2 ** attempt, 10_000);
  await sleep(most / 2 + (Math.random() * most) / 2);
}
