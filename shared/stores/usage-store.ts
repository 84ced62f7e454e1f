import * as z from 'zod';
import { MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { UsedUnits } from '#shared/domain/nft-data/request-units.ts';
import { readItem } from './read-item.ts';
import type { Table } from './table.ts';

/** What each tenant has used of its limit of the v2.2 interface. */
export type UsageStore = {
  readonly get: (tenant: string) => Promise<UsedUnits | undefined>;
  /** Writes it while its version is still the one it carries; tells it with its new version. */
  readonly put: (tenant: string, used: UsedUnits) => Promise<UsedUnits>;
};

export function createUsageStore(table: Table): UsageStore {
  return {
    get: async (tenant) => {
      const item = await table.get(keyOf(tenant));
      return item === undefined ? undefined : readItem(UsageItem, item);
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

/** Not beside the tenant's lists: who counts requests has no rights there. */
const keyOf = (tenant: string) => ({ pk: `USAGE#${tenant}`, sk: 'NFT-DATA' });

const UsageItem = z.object({ version: z.int(), usedUntil: z.number() });
