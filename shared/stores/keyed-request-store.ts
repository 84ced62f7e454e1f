import * as z from 'zod';
import type { KeyedRequest } from '#shared/domain/access/keyed-request.ts';
import { DAY, SECOND } from '#shared/domain/market/instant.ts';
import { readItem } from './read-item.ts';
import type { Key, Table, Write } from './table.ts';

/** Answered requests with an `Idempotency-Key`, each stored for a day. */
export type KeyedRequestStore = {
  /**
   * The returned request includes its version, so that a later request with the same key can
   * replace it.
   */
  readonly get: (tenant: string, hash: string) => Promise<KeyedRequest | undefined>;
  /**
   * Writes a request that changed nothing. Throws VersionConflictError if another request with the
   * same key was written first.
   */
  readonly put: (request: KeyedRequest) => Promise<void>;
};

/** The write of a request in the transaction of its change. */
export function writeOfKeyedRequest({ tenant, hash, version, ...attributes }: KeyedRequest) {
  const ttl = Math.ceil((attributes.at + DAY) / SECOND);
  const put = { ...keyOf(tenant, hash), ...attributes, version: version + 1, ttl };
  return { put, version } satisfies Write;
}

export function createKeyedRequestStore(table: Table): KeyedRequestStore {
  return {
    get: async (tenant, hash) => {
      const item = await table.get(keyOf(tenant, hash));
      return item === undefined
        ? undefined
        : { tenant, hash, ...readItem('keyedRequest', KeyedRequestItem, item) };
    },

    put: async (request) => {
      const { put, version } = writeOfKeyedRequest(request);
      await table.put(put, version);
    },
  };
}

function keyOf(tenant: string, hash: string): Key {
  return { pk: `IDEMPOTENCY#${tenant}#${hash}`, sk: 'IDEMPOTENCY' };
}

export const KeyedRequestItem = z.lazy(() =>
  z.object({
    version: z.int(),
    fingerprint: z.string(),
    at: z.int(),
    answer: z.object({
      status: z.int(),
      headers: z.record(z.string(), z.string()),
      body: z.string(),
    }),
  }),
);
