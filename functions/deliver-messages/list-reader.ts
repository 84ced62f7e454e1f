import type { Destination } from '#shared/channels/destination.ts';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { tryRead } from '#shared/use-cases/try-read.ts';
import type { DeliverMessagesPorts } from './ports.ts';

/** Returns the list of an alert; undefined for operators, who get alerts of all tenants. */
export type ListReader = (alert: Pick<Alert, 'watchlist'>) => Promise<Watchlist | undefined>;

/** Creates a reader that reads each list only once. */
export function remembering(
  { getWatchlist }: DeliverMessagesPorts,
  destination: Destination,
): ListReader {
  if (destination.kind !== 'channel') return () => Promise.resolve(undefined);
  const { list } = destination;
  const known = new Map([[list.id, Promise.resolve<Watchlist | undefined>(list)]]);
  return ({ watchlist: id }) => {
    const read = () => getWatchlist({ tenant: list.tenant, id });
    const found =
      known.get(id) ?? tryRead({ kind: 'watchlist', id }, read).then((answer) => answer.found);
    known.set(id, found);
    return found;
  };
}
