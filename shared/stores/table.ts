import type { Page } from '#shared/domain/page.ts';
import type {
  ThresholdIndex,
  ThresholdIndexPosition,
} from '#shared/domain/rules/threshold-index.ts';
import { unknownAttributes } from '#shared/domain/unknown-attributes.ts';

export type Key = { readonly pk: string; readonly sk: string };

/** The key of an item with a timer, and the time of the timer. */
export type DueKey = Key & { readonly dueAt: number };

/**
 * An item of the table. Its attributes are texts, numbers, lists and maps. Amounts of money are
 * texts.
 */
export type Item = Key & { readonly [attribute: string]: unknown };

/** A range of sort keys, both ends inclusive; keys compare as texts. */
export type Range = { readonly from: string; readonly to: string };

export type Query = {
  readonly pk: string;
  readonly range: Range;
  readonly limit: number;
  readonly descending?: boolean;
  /** The sort key of the last item on the previous page. */
  readonly after?: string | undefined;
};

/** The local indexes of watches: two by threshold and one by timer. */
type LocalIndex = ThresholdIndex | 'wakes';

export type ThresholdIndexQuery = {
  readonly index: LocalIndex;
  readonly pk: string;
  readonly range: Range;
  readonly limit: number;
  /** The last position on the previous page. */
  readonly after?: ThresholdIndexPosition | undefined;
};

/** A write of a transaction, with the same conditions as `put` and `delete`. */
export type Write =
  | { readonly put: Item; readonly version?: number | undefined }
  | { readonly delete: Key; readonly version: number };

export function keyOfWrite(write: Write): Key {
  return 'put' in write ? write.put : write.delete;
}

/** The DynamoDB limits that writers must respect. */
export const TABLE_LIMITS = {
  /** Maximum size of one item, including the names of its attributes. */
  itemBytes: 400 * 1024,
  /** Maximum size of all items that a transaction puts. */
  transactionBytes: 4 * 1024 * 1024,
  writesOfTransaction: 100,
} as const;

/**
 * The table, reduced to the operations that the stores need.
 *
 * Reads are strongly consistent, except `due`, which reads an index that is updated with a delay.
 *
 * A write throws OutcomeUnknownError if it may or may not have been applied.
 */
export type Table = {
  readonly get: (key: Key) => Promise<Item | undefined>;
  /**
   * Replaces an item. If `version` is given, throws VersionConflictError unless the stored item has
   * this version; 0 means that no item exists.
   */
  readonly put: (item: Item, version?: number) => Promise<void>;
  /**
   * Deletes an item if it has the version; otherwise throws VersionConflictError. A missing item is
   * not an error.
   */
  readonly delete: (key: Key, version: number) => Promise<void>;
  /**
   * Applies all writes, or throws VersionConflictError and applies none if a condition fails or an
   * item to delete is missing. Requires at least one write, and distinct keys.
   */
  readonly transact: (writes: readonly Write[]) => Promise<void>;
  readonly query: (query: Query) => Promise<Page<Item, string>>;
  readonly queryThresholdIndex: (
    query: ThresholdIndexQuery,
  ) => Promise<Page<Key, ThresholdIndexPosition>>;
  /** Keys of the items with a timer due at `until`, oldest first, starting after `after`. */
  readonly due: (
    shard: string,
    until: number,
    limit: number,
    after?: DueKey,
  ) => Promise<readonly DueKey[]>;
};

/** The item to write, including the attributes that only another version has. */
export function wholeItem(item: Item): Item {
  return { ...unknownAttributes(item), ...item };
}

/** The range of all sort keys with a prefix. */
export function beginningWith(prefix: string): Range {
  return { from: prefix, to: `${prefix}\uffff` };
}

const PAGE = 1000;

/** All items of a range, read page by page. */
export async function queryAll(table: Table, pk: string, range: Range): Promise<readonly Item[]> {
  const items: Item[] = [];
  let after: string | undefined;
  do {
    const page = await table.query({ pk, range, limit: PAGE, after });
    items.push(...page.entries);
    after = page.next;
  } while (after !== undefined);
  return items;
}
