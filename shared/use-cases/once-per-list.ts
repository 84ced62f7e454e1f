import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';

/** Caches the read of each list, for the duration of an invocation. */
export function oncePerList<Value>(
  read: (list: WatchlistId) => Promise<Value>,
): (list: WatchlistId) => Promise<Value> {
  const known = new Map<string, Promise<Value>>();
  return (list) => {
    const name = `${list.tenant}#${list.id}`;
    const found = known.get(name) ?? read(list);
    known.set(name, found);
    return found;
  };
}
