import * as z from 'zod';
import {
  type ApiKeyRecord,
  endOfKey,
  hashApiKey,
  type TenantKeys,
} from '#shared/domain/access/api-key.ts';
import { Scope } from '#shared/domain/access/scope.ts';
import { defined } from '#shared/domain/defined.ts';
import { DAY, SECOND } from '#shared/domain/market/instant.ts';
import { Identifier } from '#shared/domain/words.ts';
import type { KeyChange } from '#shared/use-cases/manage-keys.ts';
import { writeOfChange } from './change-store.ts';
import { readItem } from './read-item.ts';
import { type Item, queryAll, type Table } from './table.ts';

/**
 * API keys, one item each, under their hashes. They share one partition, so that a list of a
 * tenant's keys comes from the same items that authenticate requests.
 */
export type ApiKeyStore = {
  readonly find: (key: string) => Promise<ApiKeyRecord | undefined>;
  readonly withId: (id: string) => Promise<ApiKeyRecord | undefined>;
  readonly all: () => Promise<readonly ApiKeyRecord[]>;
  readonly ofTenant: (tenant: string) => Promise<TenantKeys>;
  /** Writes a change of a tenant's keys in one transaction, if their version is unchanged. */
  readonly commit: (change: KeyChange) => Promise<void>;
};

const PARTITION = 'KEYS';
const HASHES = { from: '0', to: 'g' };
/**
 * Days for which an expired or revoked key stays in the table. This is longer than the period for
 * which tables can be restored: otherwise a restored table could accept a revoked key whose record
 * is gone.
 */
const LISTED_DAYS = 40;

export function createApiKeyStore(table: Table): ApiKeyStore {
  const all = async () => (await queryAll(table, PARTITION, HASHES)).map(fromItem);
  return {
    find: async (key) => {
      const item = await table.get({ pk: PARTITION, sk: hashApiKey(key) });
      return item === undefined ? undefined : fromItem(item);
    },

    withId: async (id) => {
      const [item] = await queryAll(table, PARTITION, { from: id, to: `${id}g` });
      return item === undefined ? undefined : fromItem(item);
    },

    all,

    ofTenant: async (tenant) => {
      // Read the version before the keys, so that a concurrent change of the keys causes a
      // conflict.
      const item = await table.get(versionKeyOf(tenant));
      const { version } =
        item === undefined ? { version: 0 } : readItem('tenantKeys', TenantKeysItem, item);
      return { version, keys: (await all()).filter((key) => key.tenant === tenant) };
    },

    commit: async ({ tenant, version, keys, entries }) =>
      await table.transact([
        { put: { ...versionKeyOf(tenant), version: version + 1 }, version },
        ...keys.map((key) => ({ put: toItem(key) })),
        ...entries.map(writeOfChange),
      ]),
  };
}

/**
 * One version item for each tenant. Every change of its keys replaces the item, so concurrent
 * changes conflict.
 */
export const TenantKeysItem = z.lazy(() => z.object({ version: z.int() }));

const versionKeyOf = (tenant: string) => ({ pk: PARTITION, sk: `tenant#${tenant}` });

export const ApiKeyItem = z.lazy(() =>
  z.object({
    /** The tenant becomes part of sort keys, so it must not contain their separators. */
    tenant: Identifier,
    name: z.string(),
    scopes: z.array(Scope),
    createdAt: z.int(),
    expiresAt: z.int().optional(),
    revokedAt: z.int().optional(),
    signedInFrom: z.string().optional(),
    signIn: z.object({ hash: z.string(), expiresAt: z.int() }).optional(),
  }),
);

function toItem({ hash, ...record }: ApiKeyRecord): Item {
  const end = endOfKey({ hash, ...record });
  const ttl = end === undefined ? undefined : Math.ceil((end + LISTED_DAYS * DAY) / SECOND);
  return { pk: PARTITION, sk: hash, ...record, ttl };
}

function fromItem(item: Item): ApiKeyRecord {
  return defined({ hash: item.sk, ...readItem('apiKey', ApiKeyItem, item) });
}
