import { apiFunction } from '#shared/http/api-function.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { composeManageKeys } from './compose.ts';
import { ManageKeysEnvironment } from './environment.ts';
import { keyRoutes, manageKeys } from './routes.ts';

export function manageKeysFunction(outside: Basics & Pick<Outside, 'table'>) {
  const { earlyAbortMs, now } = outside;
  const environment = readEnvironment(ManageKeysEnvironment, outside.variables);
  const log = outside.logOf('manage-keys');
  const table = outside.table(environment.WATCH_TABLE);
  const ports = composeManageKeys({
    now,
    newVersion: outside.uniqueNumber,
    random: () => outside.randomBytes(32),
    table,
  });

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
