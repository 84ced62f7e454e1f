import * as z from 'zod';
import type { KeyedRequest } from '#shared/domain/access/keyed-request.ts';
import { DAY, SECOND } from '#shared/domain/market/instant.ts';
import { nextVersion } from './next-version.ts';
import { readItem } from './read-item.ts';
import type { Key, Table } from './table.ts';

/** Requests that may be repeated; each is kept for a day. */
export type KeyedRequestStore = {
  readonly get: (tenant: string, hash: string) => Promise<KeyedRequest | undefined>;
  /**
   * Writes it while its version is still the one that it carries; returns it with its new version.
   */
  readonly put: (request: KeyedRequest) => Promise<KeyedRequest>;
  /** Takes it away while it is still the one that was read. */
  readonly remove: (request: KeyedRequest) => Promise<void>;
};

export function createKeyedRequestStore(table: Table): KeyedRequestStore {
  return {
    get: async (tenant, hash) => {
      const item = await table.get(keyOf(tenant, hash));
      return item === undefined
        ? undefined
        : { tenant, hash, ...readItem('keyedRequest', KeyedRequestItem, item) };
    },

    put: async (request) => {
      const version = nextVersion(request.version, request.at);
      const { tenant, hash, ...attributes } = { ...request, version };
      const ttl = Math.ceil((request.at + DAY) / SECOND);
      await table.put({ ...keyOf(tenant, hash), ...attributes, ttl }, request.version);
      return { tenant, hash, ...attributes };
    },

    remove: ({ tenant, hash, version }) => table.delete(keyOf(tenant, hash), version),
  };
}

function keyOf(tenant: string, hash: string): Key {
  return { pk: `IDEMPOTENCY#${tenant}#${hash}`, sk: 'IDEMPOTENCY' };
}

export const KeyedRequestItem = z.object({
  version: z.int(),
  fingerprint: z.string(),
  at: z.int(),
  until: z.int(),
  answer: z
    .object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() })
    .optional(),
});
