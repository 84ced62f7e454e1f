import { type ApiKeyRecord, formatApiKey, hashApiKey } from '#shared/domain/access/api-key.ts';
import type { ApiKeyStore } from '#shared/stores/api-key-store.ts';
import { NOON } from './builders.ts';

/** A key made of one byte only, in the form of a real one. */
export const aKey = (byte: number) => formatApiKey(new Uint8Array(32).fill(byte));

/** What is kept of a key that was never written yet. */
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

/** Puts a key into the table as a change of its tenant's keys, without an entry of the audit log. */
export async function putKey(
  { ofTenant, commit }: Pick<ApiKeyStore, 'ofTenant' | 'commit'>,
  key: ApiKeyRecord,
): Promise<ApiKeyRecord> {
  const { tenant } = key;
  const { version } = await ofTenant(tenant);
  await commit({ tenant, version, keys: [key], entries: [] });
  return key;
}
