import * as z from 'zod';
import { type Unreadable, UnreadableError } from '#shared/domain/unreadable.ts';
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

/** The list in the path. Throws a 404 for lists of other tenants, deleted lists and invalid ids. */
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

/** Explains why an item is unreadable, and how to repair it. */
export function unreadableDetail({ kind, id, reason }: Unreadable): string {
  const repair =
    kind === 'watchlist'
      ? 'send PUT to replace it or DELETE to delete it, with If-Match: *'
      : 'ask the operator to deploy the version that wrote it';
  return `another version of the stack wrote the ${kind} "${id}" (${reason}); ${repair}`;
}

/**
 * A list; throws a problem if this version cannot read it. An unreadable list is a conflict and not
 * a temporary failure: its owner resolves it by replacing the list.
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
      ? `another version of the stack wrote the contact points (${error.reason}); replace or delete one of them with If-Match: *, then recreate the contact points that are missing`
      : unreadableDetail({ kind: 'watchlist', id: id.id, reason: error.reason });
    throw new ProblemError(detail, { type: 'unreadable', cause: error });
  }
}
