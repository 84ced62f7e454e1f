import type { Item, Key, Table } from './table.ts';

/** The table for who loads many items: they are written whatever was there, in any order. */
export type BulkTable = Table & {
  /** Those of the items that there are, in any order. */
  readonly getAll: (keys: readonly Key[]) => Promise<readonly Item[]>;
  readonly putAll: (items: readonly Item[]) => Promise<void>;
  readonly deleteAll: (keys: readonly Key[]) => Promise<void>;
};
