import { type ApiKeyRecord, apiKeyId, endOfKey, keyState } from '#shared/domain/access/api-key.ts';
import { formatInstant, type Instant, momentOf } from '#shared/domain/market/instant.ts';

/** A key as its tenant reads it: nothing of it opens anything. */
export function keyView(key: ApiKeyRecord, now: Instant) {
  return {
    id: apiKeyId(key),
    name: key.name,
    scopes: key.scopes,
    state: keyState(key, now),
    createdAt: formatInstant(key.createdAt),
    endsAt: momentOf(endOfKey(key)),
  };
}
