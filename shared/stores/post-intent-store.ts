import * as z from 'zod';
import { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { PostIntent } from '#shared/domain/channels/post-intent.ts';
import { unlessConflict } from '#shared/use-cases/unless-conflict.ts';
import { dueAttributes } from './due-queue.ts';
import { readItem } from './read-item.ts';
import type { Item, Key, Table } from './table.ts';

/** The destinations that an invocation is posting alerts to, one item for each such invocation. */
export type PostIntentStore = {
  readonly get: (id: string) => Promise<PostIntent | undefined>;
  /** Writes the intent of an invocation unconditionally, even if `wake-work` has updated it. */
  readonly put: (intent: PostIntent) => Promise<void>;
  /**
   * Writes an intent after `wake-work` has checked its destinations, unless the invocation has
   * added destinations since. In that case the intent stays due.
   */
  readonly putAfterCheck: (intent: PostIntent) => Promise<void>;
  readonly remove: (intent: PostIntent) => Promise<void>;
};

const PARTITION = 'INTENT#';

export function createPostIntentStore(table: Table): PostIntentStore {
  return {
    get: async (id) => {
      const item = await table.get(keyOf(id));
      return item === undefined
        ? undefined
        : { id, ...readItem('postIntent', PostIntentItem, item) };
    },
    put: async (intent) => await table.put(itemOf(intent)),
    putAfterCheck: async (intent) =>
      await unlessConflict(() => table.put(itemOf(intent), intent.version)),
    remove: async ({ id, version }) => await unlessConflict(() => table.delete(keyOf(id), version)),
  };
}

export const PostIntentItem = z.lazy(() =>
  z.object({
    version: z.int(),
    destinations: z.array(DestinationId),
    since: z.int(),
    dueAt: z.int(),
  }),
);

function itemOf({ id, dueAt, ...intent }: PostIntent): Item {
  const key = keyOf(id);
  return { ...key, ...intent, ...dueAttributes(key, dueAt) };
}

/** The id of the intent with a key; undefined for keys of other items. */
export function postIntentIdOf({ pk }: Key): string | undefined {
  return pk.startsWith(PARTITION) ? pk.slice(PARTITION.length) : undefined;
}

function keyOf(id: string): Pick<Item, 'pk' | 'sk'> {
  return { pk: `${PARTITION}${id}`, sk: 'INTENT' };
}
