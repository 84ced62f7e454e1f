import { apiFunction } from '#shared/http/api-function.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { createHealthCheck } from './check-health.ts';
import { composeReadContracts, type ReadContractsOutside } from './compose.ts';
import { contractRoutes, readContracts } from './routes.ts';

export function readContractsFunction(outside: ReadContractsOutside) {
  const { earlyAbortMs, now } = outside;
  const { ports, table, environment } = composeReadContracts(outside);
  const log = outside.logOf('read-contracts');
  const checkHealth = createHealthCheck(ports);

  return apiFunction(
    {
      earlyAbortMs,
      now,
      log,
      environment,
      routes: contractRoutes,
      usage: createUsageStore(table, 'api'),
    },
    (event, context, signal) => {
      const invocation = { ...ports, remainingTime: () => context.getRemainingTimeInMillis() };
      return readContracts({ ports: invocation, checkHealth }, event, signal);
    },
  );
}
