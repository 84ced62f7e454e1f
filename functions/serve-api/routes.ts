import { contractRoutes } from './contracts/routes.ts';
import { operationsRoutes } from './operations/routes.ts';
import { watchlistRoutes } from './watchlists/routes.ts';

/** All operations of the function. */
export const apiRoutes = { ...watchlistRoutes, ...contractRoutes, ...operationsRoutes };
