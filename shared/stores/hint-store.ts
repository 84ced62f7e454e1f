import * as z from 'zod';
import { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { Hints } from '#shared/domain/channels/hints.ts';
import { dueAttributes } from './due-queue.ts';
import { readItem } from './read-item.ts';
import type { Item, Key, Table } from './table.ts';

/** The destinations that alerts are being posted to, an item for each invocation that posts. */
export type HintStore = {
  readonly get: (id: string) => Promise<Hints | undefined>;
  /** Without a version: an invocation alone writes its item. */
  readonly put: (hints: Hints) => Promise<void>;
  readonly remove: (id: string) => Promise<void>;
};

const VERSION = 1;
const PARTITION = 'HINTS#';

export function createHintStore(table: Table): HintStore {
  return {
    get: async (id) => {
      const item = await table.get(keyOf(id));
      return item === undefined ? undefined : { id, ...readItem('hints', HintsItem, item) };
    },
    put: async ({ id, dueAt, ...hints }) => {
      const key = keyOf(id);
      await table.put({ ...key, ...hints, version: VERSION, ...dueAttributes(key, dueAt) });
    },
    remove: (id) => table.delete(keyOf(id), VERSION),
  };
}

export const HintsItem = z.object({
  destinations: z.array(DestinationId),
  since: z.int(),
  dueAt: z.int(),
});

/** The id of the hints that a key is of; undefined for the key of another item. */
export function hintsIdOf({ pk }: Key): string | undefined {
  return pk.startsWith(PARTITION) ? pk.slice(PARTITION.length) : undefined;
}

function keyOf(id: string): Pick<Item, 'pk' | 'sk'> {
  return { pk: `${PARTITION}${id}`, sk: 'HINTS' };
}
