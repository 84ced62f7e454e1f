import { type ApiKeyRecord, formatApiKey, hashApiKey } from '#shared/domain/access/api-key.ts';
import type { ApiKeyStore } from '#shared/stores/api-key-store.ts';
import { NOON } from './builders.ts';

/** A key in the real format, with one repeated byte. */
export const aKey = (byte: number) => formatApiKey(new Uint8Array(32).fill(byte));

/** The record of a key that is not in the table yet. */
export function aKeyRecord(key: string, given: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  return {
    hash: hashApiKey(key),
    tenant: 'acme',
    name: 'the script',
    scopes: ['read', 'write'],
    createdAt: NOON - 1,
    ...given,
  };
}

/**
 * Puts a key into the table as a change of its tenant's keys, without an entry in the audit log.
 */
export async function putKey(
  { ofTenant, commit }: Pick<ApiKeyStore, 'ofTenant' | 'commit'>,
  key: ApiKeyRecord,
): Promise<ApiKeyRecord> {
  const { tenant } = key;
  const { version } = await ofTenant(tenant);
  await commit({ tenant, version, keys: [key], entries: [] });
  return key;
}
