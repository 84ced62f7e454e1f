import { httpFunction } from '#shared/http/http-function.ts';
import { limited } from '#shared/http/request-limit.ts';
import { findRoute, type Routes } from '#shared/http/route.ts';
import { composeServeApi } from './compose.ts';
import { createHealthCheck } from './contracts/check-health.ts';
import { contractRoutes, readContracts } from './contracts/routes.ts';
import { operationsRoutes, reportOperations } from './operations/routes.ts';
import type { ServeApiOutside } from './outside.ts';
import { apiRoutes } from './routes.ts';
import { manageWatchlists } from './watchlists/routes.ts';

export function serveApiFunction(outside: ServeApiOutside) {
  const composed = composeServeApi(outside);
  const { watchlists, contracts, operations, log, counter, environment } = composed;
  const checkHealth = createHealthCheck(contracts);

  return httpFunction(
    {
      ...{ log, earlyAbortMs: outside.earlyAbortMs, corsOrigins: environment.CORS_ORIGINS },
      limit: limited(counter, apiRoutes, log),
    },
    (event, context, signal) => {
      const isAmong = (routes: Routes) => findRoute(routes, event) !== undefined;
      if (isAmong(operationsRoutes)) return reportOperations(operations, event);
      if (!isAmong(contractRoutes)) return manageWatchlists(watchlists, event, signal);
      const ports = { ...contracts, remainingTime: () => context.getRemainingTimeInMillis() };
      return readContracts({ ports, checkHealth }, event, signal);
    },
  );
}
