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

export type ThresholdIndexQuery = {
  readonly index: ThresholdIndex;
  readonly pk: string;
  readonly range: Range;
  readonly limit: number;
  /** Where the page before ended. */
  readonly after?: ThresholdIndexPosition | undefined;
};

/**
 * The one table, in the few operations that the stores need; every write is of a single item.
 *
 * Reads are strong, but for `due`: its index follows the table with a delay, so what it reports is
 * a hint.
 */
export type Table = {
  readonly get: (key: Key) => Promise<Item | undefined>;
  /**
   * Writes an item whole. With `version`, only when the item in the table still has that version,
   * 0 meaning that there is none: else VersionConflictError, and nothing is written.
   */
  readonly put: (item: Item, version?: number) => Promise<void>;
  /** Removes an item when it still has the version; one that is gone already is a conflict too. */
  readonly delete: (key: Key, version: number) => Promise<void>;
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
