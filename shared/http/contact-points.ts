import { CONTACT_POINTS, noContactPoints } from '#shared/domain/watchlists/contact-points.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import type { CallerTenant, Own } from './caller.ts';
import { type Lists, readableWatchlist } from './existing-watchlist.ts';

/** The list of a tenant's contact points; empty before the first contact point is created. */
export async function contactPointsOf(ports: Lists, tenant: CallerTenant): Promise<Own<Watchlist>> {
  const list = await readableWatchlist(ports, { tenant, id: CONTACT_POINTS });
  return list === undefined ? noContactPoints(tenant) : { ...list, tenant };
}
