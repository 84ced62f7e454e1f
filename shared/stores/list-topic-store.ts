import * as z from 'zod';
import type { ListTopics } from '#shared/domain/channels/list-topic.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { readItem } from './read-item.ts';
import type { Key, Table } from './table.ts';

/** The endpoints for which lists may have topics. */
export type ListTopicStore = {
  /** A list that never had a topic has version 0 and no endpoints. */
  readonly get: (list: WatchlistId) => Promise<ListTopics>;
  /** Writes the endpoints if the stored version is unchanged. */
  readonly put: (topics: ListTopics) => Promise<void>;
};

export function createListTopicStore(table: Table): ListTopicStore {
  return {
    get: async (list) => {
      const item = await table.get(keyOf(list));
      return item === undefined
        ? { list, version: 0, endpoints: [] }
        : { list, ...readItem('listTopics', ListTopicsItem, item) };
    },

    put: ({ list, version, endpoints }) =>
      table.put({ ...keyOf(list), version: version + 1, endpoints }, version),
  };
}

function keyOf({ tenant, id }: WatchlistId): Key {
  return { pk: `TENANT#${tenant}`, sk: `TOPICS#${id}` };
}

export const ListTopicsItem = z.lazy(() =>
  z.object({
    version: z.int(),
    endpoints: z.array(z.object({ protocol: z.enum(['email', 'sqs']), endpoint: z.string() })),
  }),
);
