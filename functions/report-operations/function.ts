import { apiFunction } from '#shared/http/api-function.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { composeReportOperations, type ReportOperationsOutside } from './compose.ts';
import { operationsRoutes, reportOperations } from './routes.ts';

export function reportOperationsFunction(outside: ReportOperationsOutside) {
  const { earlyAbortMs, now } = outside;
  const { ports, table, environment } = composeReportOperations(outside);
  const log = outside.logOf('report-operations');

  return apiFunction(
    {
      earlyAbortMs,
      now,
      log,
      environment,
      routes: operationsRoutes,
      usage: createUsageStore(table, 'api'),
    },
    (event) => reportOperations(ports, event),
  );
}
