import type { Instant } from '#shared/domain/market/instant.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import type { NoteBouncesPorts } from './note-bounces.ts';

type Outside = { readonly table: Table; readonly now: () => Instant };

/** The ports of one instance of this function. */
export function composeNoteBounces({ table, now }: Outside): NoteBouncesPorts {
  const channels = createChannelStore(table);
  return {
    now,
    getWatchlist: createWatchlistStore(table).get,
    getChannel: channels.get,
    putChannel: channels.put,
  };
}
