import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { RecordBouncesEnvironment } from './environment.ts';
import type { RecordBouncesPorts } from './record-bounces.ts';

export type RecordBouncesOutside = Basics & Pick<Outside, 'table'>;

/** Creates the ports of one Lambda instance. */
export function composeRecordBounces(outside: RecordBouncesOutside) {
  const environment = readEnvironment(RecordBouncesEnvironment, outside.variables);
  const table = outside.table(environment.WATCH_TABLE);
  const channels = createChannelStore(table);
  const ports: RecordBouncesPorts = {
    now: outside.now,
    getWatchlist: createWatchlistStore(table).get,
    getChannel: channels.get,
    putChannel: channels.put,
  };
  return { ports, environment };
}
