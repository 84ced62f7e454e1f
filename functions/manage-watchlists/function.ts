import { httpFunction } from '#shared/http/http-function.ts';
import { limited } from '#shared/http/request-limit.ts';
import { composeManageWatchlists, type ManageWatchlistsOutside } from './compose.ts';
import { manageWatchlists, watchlistRoutes } from './routes.ts';

export function manageWatchlistsFunction(outside: ManageWatchlistsOutside) {
  const { ports, log, counter, environment } = composeManageWatchlists(outside);

  return httpFunction(
    {
      earlyAbortMs: outside.earlyAbortMs,
      log,
      corsOrigins: environment.CORS_ORIGINS,
      limit: limited(counter, watchlistRoutes, log),
    },
    (event, _context, signal) => manageWatchlists(ports, event, signal),
  );
}
