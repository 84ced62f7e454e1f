import { randomBytes } from 'node:crypto';
import { isLive } from '#shared/domain/access/api-key.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { createKey, revokeKey } from '#shared/use-cases/manage-keys.ts';

const NAME = 'npm start';

/**
 * Creates a key of a tenant for this run. The key of the previous run is revoked; keys that users
 * created stay valid.
 */
export async function sessionKey(table: Table, tenant: string, now: number): Promise<string> {
  const keys = createApiKeyStore(table);
  const ports = { keys, now, random: () => randomBytes(32), entryOf: () => undefined };
  for (const key of await keys.all()) {
    const isOurs = key.tenant === tenant && key.name === NAME;
    if (isOurs && isLive(key, now)) await revokeKey(ports, key);
  }
  const request = {
    tenant,
    name: NAME,
    scopes: ['admin', 'operate'],
    expiresAt: undefined,
  } as const;
  return (await createKey(ports, request)).key;
}
