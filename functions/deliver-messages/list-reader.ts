import type { Destination } from '#shared/channels/destination.ts';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import type { InboxEntry } from '#shared/domain/channels/alert-record.ts';
import { listName, type PlanContext } from '#shared/domain/channels/plan.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { orUnreadable } from '#shared/use-cases/or-unreadable.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import type { DeliverMessagesPorts } from './ports.ts';

/** Returns the list of an alert; undefined for operators, who get alerts of all tenants. */
export type ListReader = (alert: Pick<Alert, 'watchlist'>) => Promise<Watchlist | undefined>;

/** Reads each list once. */
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
      known.get(id) ?? orUnreadable({ kind: 'watchlist', id }, read).then((answer) => answer.found);
    known.set(id, found);
    return found;
  };
}

/** What the lists of some alerts say about them. Operators do not keep the quiet hours of tenants. */
export async function listsOf(
  { getMutes }: DeliverMessagesPorts,
  listBehind: ListReader,
  entries: readonly InboxEntry[],
): Promise<PlanContext['lists']> {
  const first = new Map(entries.map(({ alert }) => [listName(alert), alert]));
  const lists = await waitForAll(
    [...first].map(async ([name, { tenant, watchlist }]) => {
      const [list, { mutes }] = await waitForAll([
        listBehind({ watchlist }),
        getMutes({ tenant, id: watchlist }),
      ]);
      return [name, { ...list, mutes }] as const;
    }),
  );
  return new Map(lists);
}
