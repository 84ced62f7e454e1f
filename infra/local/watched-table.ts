import { type ContractRecord, seriesIn } from '#shared/domain/polling/contract-record.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { dueShards } from '#shared/stores/due-queue.ts';
import type { Table } from '#shared/stores/table.ts';

/** Reads from the stack's table when the stack next has work. */
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

/**
 * The time of a contract's next work, except work that an index contains; 0 if the contract has
 * work for the next tick.
 */
export function nextWork(record: ContractRecord): number | undefined {
  const series = seriesIn(record);
  if (record.timeline.steps.length > 0) return 0;
  const { answer, window, clock, refreshRequested } = record.timers;
  return earliest([
    answer,
    window,
    clock,
    refreshRequested,
    ...series.map(([, { retryAt }]) => retryAt),
  ]);
}

/** The smallest defined value. */
export function earliest(instants: readonly (number | undefined)[]): number | undefined {
  const known = instants.filter((instant) => instant !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
