import { type ApiKeyRecord, isWellFormedApiKey } from '#shared/domain/access/api-key.ts';
import type { Instant } from '#shared/domain/market/instant.ts';

export type AuthorizeRequestPorts = {
  readonly now: () => Instant;
  readonly findApiKey: (key: string) => Promise<ApiKeyRecord | undefined>;
};

/** Who holds a key; undefined for a key that is unknown, mistyped or expired. */
export async function authorizeRequest(
  ports: AuthorizeRequestPorts,
  key: string,
): Promise<ApiKeyRecord | undefined> {
  if (!isWellFormedApiKey(key)) return undefined;
  const record = await ports.findApiKey(key);
  const expired = record?.expiresAt !== undefined && record.expiresAt <= ports.now();
  return expired ? undefined : record;
}
