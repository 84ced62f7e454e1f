import { type ApiKeyRecord, formatApiKey, hashApiKey } from '#shared/domain/access/api-key.ts';
import { NOON } from './builders.ts';

/** A key made of one byte only, in the form of a real one. */
export const aKey = (byte: number) => formatApiKey(new Uint8Array(32).fill(byte));

/** What is kept of a key that was never written yet. */
export function aKeyRecord(key: string, given: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  return {
    hash: hashApiKey(key),
    version: 0,
    tenant: 'acme',
    name: 'the script',
    scopes: ['read', 'write'],
    createdAt: NOON - 1,
    ...given,
  };
}
