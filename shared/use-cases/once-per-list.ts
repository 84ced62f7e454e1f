import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';

/** A reader that reads each list once, however often it is asked. For the time of one invocation. */
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
