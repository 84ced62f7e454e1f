import type { Item, Key, Table } from './table.ts';

/** The table with batch reads. The keys of a call must be distinct. */
export type BatchTable = Table & {
  /** The items that exist, in any order. */
  readonly getAll: (keys: readonly Key[]) => Promise<readonly Item[]>;
};

/** The table for bulk loads: items are written unconditionally, in any order. */
export type BulkTable = BatchTable & {
  readonly putAll: (items: readonly Item[]) => Promise<void>;
  /** Deletes items; missing items are ignored. */
  readonly deleteAll: (keys: readonly Key[]) => Promise<void>;
};
