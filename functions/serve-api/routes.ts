import { contractRoutes } from './contracts/routes.ts';
import { operationsRoutes } from './operations/routes.ts';
import { watchlistRoutes } from './watchlists/routes.ts';

/** The operations of this function, by method and path. */
export const apiRoutes = { ...watchlistRoutes, ...contractRoutes, ...operationsRoutes };
