import * as z from 'zod';
import type { RequestPolicy, UsedUnits } from '#shared/domain/access/request-units.ts';
import { MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { readItem } from './read-item.ts';
import type { Table } from './table.ts';

/** The usage of each tenant, which counts toward a limit. */
export type UsageStore = {
  readonly get: (tenant: string) => Promise<UsedUnits | undefined>;
  /** Writes the usage if the stored version is unchanged; returns it with its new version. */
  readonly put: (tenant: string, used: UsedUnits) => Promise<UsedUnits>;
};

export function createUsageStore(
  table: Table,
  policy: RequestPolicy | 'provider' | 'addresses',
): UsageStore {
  /** Usage has its own partition, so that functions may count requests without rights on lists. */
  const keyOf = (tenant: string) => ({ pk: `USAGE#${tenant}`, sk: policy.toUpperCase() });
  return {
    get: async (tenant) => {
      const item = await table.get(keyOf(tenant));
      return item === undefined ? undefined : readItem('usage', UsageItem, item);
    },

    put: async (tenant, used) => {
      const written = { ...used, version: used.version + 1 };
      // After this time the usage no longer affects the limit.
      const ttl = Math.ceil((used.usedUntil + MINUTE) / SECOND);
      await table.put({ ...keyOf(tenant), ...written, ttl }, used.version);
      return written;
    },
  };
}

export const UsageItem = z.lazy(() => z.object({ version: z.int(), usedUntil: z.number() }));
