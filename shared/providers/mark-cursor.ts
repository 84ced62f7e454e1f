import { parseExactJson, rewriteMember } from '#shared/clients/exact-json.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import { cursorOfProvider } from '#shared/domain/nft-data/upstream-cursor.ts';

/** Marks the cursor of a v2.2 page with its provider; everything else is unchanged. */
export function markCursor(provider: Provider, body: string): string {
  const page = parseExactJson(body);
  const cursor = typeof page === 'object' && page !== null && 'cursor' in page ? page.cursor : '';
  if (typeof cursor !== 'string' || cursor === '') return body;
  return rewriteMember(body, 'cursor', () => JSON.stringify(cursorOfProvider(provider, cursor)));
}
