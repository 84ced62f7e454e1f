import { type ApiKeyRecord, apiKeyId, endOfKey, keyState } from '#shared/domain/access/api-key.ts';
import { formatInstant, type Instant, momentOf } from '#shared/domain/market/instant.ts';
import type { Key } from './answers.ts';

export function keyView(key: ApiKeyRecord, now: Instant): Key {
  return {
    id: apiKeyId(key),
    name: key.name,
    scopes: key.scopes,
    state: keyState(key, now),
    createdAt: formatInstant(key.createdAt),
    endsAt: momentOf(endOfKey(key)),
    signedInFrom: key.signedInFrom === undefined ? null : apiKeyId({ hash: key.signedInFrom }),
  };
}
