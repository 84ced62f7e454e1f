import * as z from 'zod';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { isOfContactPoints } from '#shared/domain/watchlists/contact-points.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { Identifier } from '#shared/domain/words.ts';
import type { Own } from './caller.ts';
import { ProblemError } from './problem.ts';
import { pathOf } from './request.ts';
import type { Request } from './route.ts';

export type Lists = {
  readonly getWatchlist: (id: Own<WatchlistId>) => Promise<Watchlist | undefined>;
};

export const WatchlistPath = z.object({ watchlist: Identifier });

/** The list of the path. Another tenant's, a deleted and an invalid one all answer 404. */
export async function existingWatchlist(
  ports: Lists,
  { event, caller: { tenant } }: Request,
): Promise<Own<Watchlist>> {
  const path = WatchlistPath.safeParse(pathOf(event));
  const list = path.success
    ? await readableWatchlist(ports, { tenant, id: path.data.watchlist })
    : undefined;
  if (list === undefined || list.deleted) {
    throw new ProblemError('there is no such watchlist', { type: 'not_found' });
  }
  return { ...list, tenant };
}

/**
 * A list, or the problem that this version cannot read it. That is a conflict with what is kept, and
 * no failure that passes: its owner resolves it by a replacement.
 */
export async function readableWatchlist(
  ports: Lists,
  id: Own<WatchlistId>,
): Promise<Watchlist | undefined> {
  try {
    return await ports.getWatchlist(id);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    const detail = isOfContactPoints(id)
      ? `another version has written the contact points (${error.reason}); put or delete one with If-Match: *, and make anew those that are gone then`
      : `another version has written the watchlist "${id.id}" (${error.reason}); replace it by PUT or delete it, with If-Match: *`;
    throw new ProblemError(detail, { type: 'unreadable', cause: error });
  }
}
