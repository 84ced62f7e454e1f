import * as z from 'zod';
import type { QuotaUsage } from '#shared/domain/watchlists/quota-usage.ts';
import { readItem } from './read-item.ts';
import type { Table } from './table.ts';

/** What the lists of each tenant take of its limits, one item. */
export type QuotaUsageStore = {
  /** Of a tenant that never had a list: none, in version 0. */
  readonly get: (tenant: string) => Promise<QuotaUsage>;
  /** Writes them while their version is still the one that they carry. */
  readonly put: (quotaUsage: QuotaUsage) => Promise<void>;
};

export function createQuotaUsageStore(table: Table): QuotaUsageStore {
  return {
    get: async (tenant) => {
      const item = await table.get(keyOf(tenant));
      return item === undefined
        ? { tenant, version: 0, lists: [], withdrawn: [] }
        : { tenant, ...readItem('quotaUsage', QuotaUsageItem, item) };
    },

    put: ({ tenant, version, ...quotaUsage }) =>
      table.put({ ...keyOf(tenant), ...quotaUsage, version: version + 1 }, version),
  };
}

const keyOf = (tenant: string) => ({ pk: `TENANT#${tenant}`, sk: 'QUOTA' });

export const QuotaUsageItem = z.object({
  version: z.int(),
  lists: z.array(
    z.object({
      list: z.string(),
      revision: z.int(),
      contracts: z.int(),
      watches: z.int(),
      contactPoints: z.array(z.string()),
      at: z.int(),
    }),
  ),
  withdrawn: z.array(z.object({ name: z.string(), at: z.int() })),
});
