import * as z from 'zod';
import { type ApiKeyRecord, hashApiKey } from '#shared/domain/access/api-key.ts';
import type { Item, Key, Table } from './table.ts';

/** API keys, by their hash. */
export type ApiKeyStore = {
  readonly find: (key: string) => Promise<ApiKeyRecord | undefined>;
};

export function createApiKeyStore(table: Table): ApiKeyStore {
  return {
    find: async (key) => {
      const item = await table.get(keyOf(key));
      return item === undefined ? undefined : fromItem(item);
    },
  };
}

/** The item under which a key is found, for whoever hands keys out. */
export function toApiKeyItem(key: string, { expiresAt, ...record }: ApiKeyRecord): Item {
  return { ...keyOf(key), ...record, ...(expiresAt === undefined ? {} : { expiresAt }) };
}

const ApiKeyItem = z.object({
  /** It becomes part of keys; no separator of theirs may be in it. */
  tenant: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/),
  scopes: z.array(z.enum(['read', 'write', 'admin'])),
  createdAt: z.int(),
  expiresAt: z.int().optional(),
});

function fromItem(item: Item): ApiKeyRecord {
  const { expiresAt, ...record } = ApiKeyItem.parse(item);
  return { ...record, ...(expiresAt === undefined ? {} : { expiresAt }) };
}

function keyOf(key: string): Key {
  return { pk: `KEY#${hashApiKey(key)}`, sk: 'KEY' };
}
