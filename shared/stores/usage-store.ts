import * as z from 'zod';
import type { RequestPolicy, UsedUnits } from '#shared/domain/access/request-units.ts';
import { MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { readItem } from './read-item.ts';
import type { Table } from './table.ts';

/** What each tenant has used of its limit of an interface. */
export type UsageStore = {
  readonly get: (tenant: string) => Promise<UsedUnits | undefined>;
  /** Writes it while its version is still the one it carries; returns it with its new version. */
  readonly put: (tenant: string, used: UsedUnits) => Promise<UsedUnits>;
};

export function createUsageStore(
  table: Table,
  policy: RequestPolicy | 'provider' | 'addresses',
): UsageStore {
  /** A partition of its own: functions that count requests need no rights on the tenant's lists. */
  const keyOf = (tenant: string) => ({ pk: `USAGE#${tenant}`, sk: policy.toUpperCase() });
  return {
    get: async (tenant) => {
      const item = await table.get(keyOf(tenant));
      return item === undefined ? undefined : readItem('usage', UsageItem, item);
    },

    put: async (tenant, used) => {
      const written = { ...used, version: used.version + 1 };
      // From then on it says nothing any more.
      const ttl = Math.ceil((used.usedUntil + MINUTE) / SECOND);
      await table.put({ ...keyOf(tenant), ...written, ttl }, used.version);
      return written;
    },
  };
}

export const UsageItem = z.object({ version: z.int(), usedUntil: z.number() });
