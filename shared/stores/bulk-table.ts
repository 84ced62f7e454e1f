import type { Item, Key, Table } from './table.ts';

/** The table with reads of many items at once. No key stands twice in one call. */
export type BatchTable = Table & {
  /** Those of the items that there are, in any order. */
  readonly getAll: (keys: readonly Key[]) => Promise<readonly Item[]>;
};

/** The table for bulk loads: items are written unconditionally, in any order. */
export type BulkTable = BatchTable & {
  readonly putAll: (items: readonly Item[]) => Promise<void>;
  /** Removes what is there; what is not there is no matter. */
  readonly deleteAll: (keys: readonly Key[]) => Promise<void>;
};
