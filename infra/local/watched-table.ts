import { type ContractRecord, partsOf } from '#shared/domain/polling/contract-record.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { dueShards } from '#shared/stores/due-queue.ts';
import type { Table } from '#shared/stores/table.ts';

/** What this runtime reads in the stack's table to know what the stack waits for. */
export type WatchedTable = {
  readonly contracts: () => Promise<readonly ContractRecord[]>;
  /** The earliest timer of the index `due`. */
  readonly earliestDue: () => Promise<number | undefined>;
};

export function readWatchedTable(table: Table): WatchedTable {
  const registry = createContractStore(table, Date.now);
  const dueIn = (shard: string) => table.due(shard, Number.MAX_SAFE_INTEGER, 1);
  return {
    contracts: async () => (await registry.all()).records,
    earliestDue: async () => {
      const due = (await Promise.all(dueShards().map(dueIn))).flat();
      return earliest(due.map(({ dueAt }) => dueAt));
    },
  };
}

/** When a contract has something to do that stands in no index; 0 for at the next tick. */
export function nextWork(record: ContractRecord): number | undefined {
  const parts = partsOf(record);
  if (record.timeline.steps.length > 0) return 0;
  const { answer, window, clock, awaited } = record.timers;
  return earliest([answer, window, clock, awaited, ...parts.map(([, { retryAt }]) => retryAt)]);
}

/** The smallest of those that are known. */
export function earliest(instants: readonly (number | undefined)[]): number | undefined {
  const known = instants.filter((instant) => instant !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
