import { apiFunction } from '#shared/http/api-function.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { composeManageKeys, type ManageKeysOutside } from './compose.ts';
import { keyRoutes, manageKeys } from './routes.ts';

export function manageKeysFunction(outside: ManageKeysOutside) {
  const { earlyAbortMs, now } = outside;
  const { ports, table, environment } = composeManageKeys(outside);
  const log = outside.logOf('manage-keys');

  return apiFunction(
    {
      earlyAbortMs,
      now,
      log,
      environment,
      routes: keyRoutes,
      usage: createUsageStore(table, 'api'),
    },
    (event) => manageKeys(ports, event),
  );
}
