import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { tryRead } from '#shared/use-cases/try-read.ts';

const LISTS_AT_ONCE = 100;

/**
 * The unreadable watchlists and contact points of all tenants that have a key, with the reasons.
 */
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
    const contactPoints = { tenant, id: CONTACT_POINTS };
    const { unreadable } = await tryRead({ kind: 'watchlist', id: CONTACT_POINTS }, () =>
      watchlists.get(contactPoints),
    );
    if (unreadable !== undefined) found.push(`contact points of ${tenant} (${unreadable.reason})`);
  }
  return found;
}
