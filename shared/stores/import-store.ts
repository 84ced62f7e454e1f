import * as z from 'zod';
import { DAY, type Instant } from '#shared/domain/market/instant.ts';
import type { BulkTable } from './bulk-table.ts';
import { readItem } from './read-item.ts';
import type { Key } from './table.ts';

/** The progress of imports by the digest of the file, until the whole import is complete. */
export type ImportStore = {
  /** The number of lines, counted from the first, that are already in the table. */
  readonly linesDone: (digest: string) => Promise<number>;
  readonly note: (digest: string, lines: number, now: Instant) => Promise<void>;
  readonly forget: (digests: readonly string[]) => Promise<void>;
};

/** An import that is not continued within this time starts over. */
const KEPT_DAYS = 7;

export function createImportStore(table: BulkTable): ImportStore {
  return {
    linesDone: async (digest) => {
      const item = await table.get(keyOf(digest));
      return item === undefined ? 0 : readItem('import', ImportItem, item).lines;
    },

    note: async (digest, lines, now) => {
      const ttl = Math.floor((now + KEPT_DAYS * DAY) / 1000);
      await table.put({ ...keyOf(digest), lines, ttl });
    },

    forget: (digests) => table.deleteAll(digests.map(keyOf)),
  };
}

const keyOf = (digest: string): Key => ({ pk: `IMPORT#${digest}`, sk: 'IMPORT' });
export const ImportItem = z.lazy(() => z.object({ lines: z.int() }));
