import * as z from 'zod';
import { type AskedAddress, hashOfAddress } from '#shared/domain/channels/asked-address.ts';
import { DAY, SECOND } from '#shared/domain/market/instant.ts';
import { readItem } from './read-item.ts';
import type { Key, Table } from './table.ts';

/**
 * Email addresses that received a confirmation request of a tenant. Only their hashes are stored.
 */
export type AddressStore = {
  readonly get: (tenant: string, address: string) => Promise<AskedAddress | undefined>;
  /** Writes the record if the stored version is unchanged; returns it with its new version. */
  readonly put: (asked: AskedAddress) => Promise<AskedAddress>;
};

/** Expired records are removed. Their addresses are then treated as new. */
const KEPT_FOR = 90 * DAY;

export function createAddressStore(table: Table): AddressStore {
  return {
    get: async (tenant, address) => {
      const item = await table.get(keyOf(tenant, address));
      return item === undefined
        ? undefined
        : { tenant, address, ...readItem('askedAddress', AddressItem, item) };
    },

    put: async (asked) => {
      const { tenant, address, version, ...kept } = asked;
      const ttl = Math.ceil((asked.notBefore + KEPT_FOR) / SECOND);
      const item = { ...keyOf(tenant, address), ...kept, version: version + 1, ttl };
      await table.put(item, version);
      return { ...asked, version: version + 1 };
    },
  };
}

function keyOf(tenant: string, address: string): Key {
  return { pk: `TENANT#${tenant}`, sk: `ADDRESS#${hashOfAddress(address)}` };
}

export const AddressItem = z.lazy(() =>
  z.object({
    version: z.int(),
    notBefore: z.int(),
    isConfirmed: z.boolean(),
  }),
);
