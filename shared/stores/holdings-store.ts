import * as z from 'zod';
import type { Holdings } from '#shared/domain/watchlists/holdings.ts';
import { readItem } from './read-item.ts';
import type { Table } from './table.ts';

/** What the lists of each tenant take of its limits, one item. */
export type HoldingsStore = {
  /** Of a tenant that never had a list: none, in version 0. */
  readonly get: (tenant: string) => Promise<Holdings>;
  /** Writes them while their version is still the one that they carry. */
  readonly put: (holdings: Holdings) => Promise<void>;
};

export function createHoldingsStore(table: Table): HoldingsStore {
  return {
    get: async (tenant) => {
      const item = await table.get(keyOf(tenant));
      return item === undefined
        ? { tenant, version: 0, lists: [] }
        : { tenant, ...readItem(HoldingsItem, item) };
    },

    put: ({ tenant, version, ...holdings }) =>
      table.put({ ...keyOf(tenant), ...holdings, version: version + 1 }, version),
  };
}

const keyOf = (tenant: string) => ({ pk: `TENANT#${tenant}`, sk: 'HOLDINGS' });

const HoldingsItem = z.object({
  version: z.int(),
  lists: z.array(
    z.object({
      list: z.string(),
      revision: z.int(),
      contracts: z.int(),
      watches: z.int(),
      at: z.int(),
    }),
  ),
});
