import type { Watchlist, WatchlistId } from './watchlist.ts';

/**
 * A tenant's contact points are the channels of one list that has nothing else. No person can give a
 * list this id, and it sorts behind all others.
 */
export const CONTACT_POINTS = '~';

/** Whether a list is that of its tenant's contact points. */
export function isOfContactPoints({ id }: Pick<WatchlistId, 'id'>): boolean {
  return id === CONTACT_POINTS;
}

/** The list of a tenant's contact points before the first is made. */
export function noContactPoints<Tenant extends string>(tenant: Tenant) {
  return {
    ...{ tenant, id: CONTACT_POINTS, revision: 0, deleted: false, name: 'Contact points' },
    ...{ members: [], rules: [], channels: [], contactPoints: [] },
  } satisfies Watchlist;
}
