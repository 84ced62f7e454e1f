import type { Page } from '#shared/domain/page.ts';
import type {
  ThresholdIndex,
  ThresholdIndexPosition,
} from '#shared/domain/rules/threshold-index.ts';
import { unknownOf } from '#shared/domain/unknown-attributes.ts';

export type Key = { readonly pk: string; readonly sk: string };

/** The key of an item that has a timer, and when. */
export type DueKey = Key & { readonly dueAt: number };

/** An item as the table holds it: texts, numbers, lists and maps of them. Money is text. */
export type Item = Key & { readonly [attribute: string]: unknown };

/** Both ends included; sort keys compare as texts. */
export type Range = { readonly from: string; readonly to: string };

export type Query = {
  readonly pk: string;
  readonly range: Range;
  readonly limit: number;
  readonly descending?: boolean;
  /** The sort key of the last item of the page before. */
  readonly after?: string | undefined;
};

/** The local indexes of watches: two by the numbers that they wait for, and one by their timers. */
type LocalIndex = ThresholdIndex | 'wakes';

export type ThresholdIndexQuery = {
  readonly index: LocalIndex;
  readonly pk: string;
  readonly range: Range;
  readonly limit: number;
  /** Where the page before ended. */
  readonly after?: ThresholdIndexPosition | undefined;
};

/** One write of a transaction, under the conditions of `put` and `delete`. */
export type Write =
  | { readonly put: Item; readonly version?: number | undefined }
  | { readonly delete: Key; readonly version: number };

/** The key of the item that a write puts or deletes. */
export function keyOfWrite(write: Write): Key {
  return 'put' in write ? write.put : write.delete;
}

/** The limits of DynamoDB that a writer has to know. */
export const TABLE_LIMITS = {
  /** Of an item, names of attributes included. */
  itemBytes: 400 * 1024,
  /** Of all items that one transaction puts. */
  transactionBytes: 4 * 1024 * 1024,
  writesOfTransaction: 100,
} as const;

/**
 * The one table, in the few operations that the stores need.
 *
 * Reads are strong, except `due`: its index follows the table with a delay, so its answer is a hint.
 *
 * A write whose outcome cannot be known throws OutcomeUnknownError: it may have been applied.
 */
export type Table = {
  readonly get: (key: Key) => Promise<Item | undefined>;
  /**
   * Writes an item whole. With `version`, only when the item in the table still has that version,
   * 0 meaning that there is none: else VersionConflictError, and nothing is written.
   */
  readonly put: (item: Item, version?: number) => Promise<void>;
  /**
   * Removes an item when it still has the version: else VersionConflictError. A deletion that finds
   * no item is done.
   */
  readonly delete: (key: Key, version: number) => Promise<void>;
  /**
   * Makes all writes or none: VersionConflictError if the condition of one fails, also of a deletion
   * that finds no item. Takes one write at least, and no key twice.
   */
  readonly transact: (writes: readonly Write[]) => Promise<void>;
  readonly query: (query: Query) => Promise<Page<Item, string>>;
  readonly queryThresholdIndex: (
    query: ThresholdIndexQuery,
  ) => Promise<Page<Key, ThresholdIndexPosition>>;
  /**
   * Keys of what has its timer at `until` or before, oldest first; of those behind a key, if
   * reported.
   */
  readonly due: (
    shard: string,
    until: number,
    limit: number,
    after?: DueKey,
  ) => Promise<readonly DueKey[]>;
};

/** An item as it is put: with the attributes that only another version knows. */
export function wholeItem(item: Item): Item {
  return { ...unknownOf(item), ...item };
}

/** All sort keys that begin with a text. */
export function beginningWith(prefix: string): Range {
  return { from: prefix, to: `${prefix}\uffff` };
}

const PAGE = 1000;

/** All items of a range, however many pages the table makes of them. */
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
