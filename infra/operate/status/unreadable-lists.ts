import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';

const LISTS_AT_ONCE = 100;

/** The unreadable watchlists of all tenants that have a key, each with the reason. */
export async function findUnreadableLists(table: Table): Promise<readonly string[]> {
  const watchlists = createWatchlistStore(table);
  const keys = await createApiKeyStore(table).all();
  const found: string[] = [];
  for (const tenant of new Set(keys.map((key) => key.tenant))) {
    let after: string | undefined;
    do {
      const { unreadable, next } = await watchlists.ofTenant(tenant, LISTS_AT_ONCE, after);
      found.push(...unreadable.map(({ id, reason }) => `watchlist ${tenant}/${id} (${reason})`));
      after = next;
    } while (after !== undefined);
  }
  return found;
}
