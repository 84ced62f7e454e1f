import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { NoteBouncesEnvironment } from './environment.ts';
import type { NoteBouncesPorts } from './note-bounces.ts';

export type NoteBouncesOutside = Basics & Pick<Outside, 'table'>;

/** The ports of one instance of this function. */
export function composeNoteBounces(outside: NoteBouncesOutside) {
  const environment = readEnvironment(NoteBouncesEnvironment, outside.variables);
  const table = outside.table(environment.WATCH_TABLE);
  const channels = createChannelStore(table);
  const ports: NoteBouncesPorts = {
    now: outside.now,
    getWatchlist: createWatchlistStore(table).get,
    getChannel: channels.get,
    putChannel: channels.put,
  };
  return { ports, environment };
}
