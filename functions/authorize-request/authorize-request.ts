import { type ApiKeyRecord, isLive, isWellFormedApiKey } from '#shared/domain/access/api-key.ts';
import type { Instant } from '#shared/domain/market/instant.ts';

export type AuthorizeRequestPorts = {
  readonly now: () => Instant;
  readonly findApiKey: (key: string) => Promise<ApiKeyRecord | undefined>;
};

/** The record of a key; undefined if the key is unknown, malformed, expired or revoked. */
export async function authorizeRequest(
  ports: AuthorizeRequestPorts,
  key: string,
): Promise<ApiKeyRecord | undefined> {
  if (!isWellFormedApiKey(key)) return undefined;
  const record = await ports.findApiKey(key);
  return record !== undefined && isLive(record, ports.now()) ? record : undefined;
}
