import type { Watchlist, WatchlistId } from './watchlist.ts';

/**
 * The id of the internal list that each tenant has for its contact points: they are the channels of
 * this list. People cannot give a list this id, and it sorts after all other ids.
 */
export const CONTACT_POINTS = '~';

/** Whether a list holds its tenant's contact points. */
export function isOfContactPoints({ id }: Pick<WatchlistId, 'id'>): boolean {
  return id === CONTACT_POINTS;
}

/** The list of a tenant's contact points before the first one is created. */
export function noContactPoints<Tenant extends string>(tenant: Tenant) {
  return {
    ...{ tenant, id: CONTACT_POINTS, revision: 0, deleted: false, name: 'Contact points' },
    ...{ members: [], rules: [], channels: [], contactPoints: [] },
  } satisfies Watchlist;
}
