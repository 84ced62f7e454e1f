import * as z from 'zod';
import { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { Hints } from '#shared/domain/channels/hints.ts';
import { unlessConflict } from '#shared/use-cases/unless-conflict.ts';
import { dueAttributes } from './due-queue.ts';
import { readItem } from './read-item.ts';
import type { Item, Key, Table } from './table.ts';

/** The destinations that alerts are being posted to, an item for each invocation that posts. */
export type HintStore = {
  readonly get: (id: string) => Promise<Hints | undefined>;
  /** Writes the hints of an invocation, whatever `wake-work` has made of the ones before. */
  readonly put: (hints: Hints) => Promise<void>;
  /** Writes hints after a look, unless the invocation has added destinations: these are due still. */
  readonly putAfterLook: (hints: Hints) => Promise<void>;
  readonly remove: (hints: Hints) => Promise<void>;
};

const PARTITION = 'HINTS#';

export function createHintStore(table: Table): HintStore {
  return {
    get: async (id) => {
      const item = await table.get(keyOf(id));
      return item === undefined ? undefined : { id, ...readItem('hints', HintsItem, item) };
    },
    put: async (hints) => await table.put(itemOf(hints)),
    putAfterLook: async (hints) =>
      await unlessConflict(() => table.put(itemOf(hints), hints.version)),
    remove: async ({ id, version }) => await unlessConflict(() => table.delete(keyOf(id), version)),
  };
}

export const HintsItem = z.object({
  version: z.int(),
  destinations: z.array(DestinationId),
  since: z.int(),
  dueAt: z.int(),
});

function itemOf({ id, dueAt, ...hints }: Hints): Item {
  const key = keyOf(id);
  return { ...key, ...hints, ...dueAttributes(key, dueAt) };
}

/** The id of the hints that a key is of; undefined for the key of another item. */
export function hintsIdOf({ pk }: Key): string | undefined {
  return pk.startsWith(PARTITION) ? pk.slice(PARTITION.length) : undefined;
}

function keyOf(id: string): Pick<Item, 'pk' | 'sk'> {
  return { pk: `${PARTITION}${id}`, sk: 'HINTS' };
}
