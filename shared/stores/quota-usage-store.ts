import * as z from 'zod';
import type { QuotaUsage } from '#shared/domain/watchlists/quota-usage.ts';
import { readItem } from './read-item.ts';
import type { Table, Write } from './table.ts';

/** The quota usage of each tenant's lists, in one item. */
export type QuotaUsageStore = {
  /** Without an item: version 0 and no lists. */
  readonly get: (tenant: string) => Promise<QuotaUsage>;
};

export function createQuotaUsageStore(table: Table): QuotaUsageStore {
  return {
    get: async (tenant) => {
      const item = await table.get(keyOf(tenant));
      return item === undefined
        ? { tenant, version: 0, lists: [] }
        : { tenant, ...readItem('quotaUsage', QuotaUsageItem, item) };
    },
  };
}

/** The write that replaces the given version of a tenant's quota usage. */
export function writeOfQuotaUsage({ tenant, version, ...quotaUsage }: QuotaUsage): Write {
  return { put: { ...keyOf(tenant), ...quotaUsage, version: version + 1 }, version };
}

const keyOf = (tenant: string) => ({ pk: `TENANT#${tenant}`, sk: 'QUOTA' });

export const QuotaUsageItem = z.lazy(() =>
  z.object({
    version: z.int(),
    lists: z.array(
      z.object({
        list: z.string(),
        contracts: z.int(),
        watches: z.int(),
        contactPoints: z.array(z.string()),
      }),
    ),
  }),
);
