import { createRequestCounter } from '#shared/http/count-request.ts';
import { httpFunction } from '#shared/http/http-function.ts';
import { limited } from '#shared/http/request-limit.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { composeManageKeys } from './compose.ts';
import { ManageKeysEnvironment } from './environment.ts';
import { keyRoutes, manageKeys } from './routes.ts';

export function manageKeysFunction(outside: Basics & Pick<Outside, 'table'>) {
  const { now } = outside;
  const environment = readEnvironment(ManageKeysEnvironment, outside.variables);
  const log = outside.logOf('manage-keys');
  const table = outside.table(environment.WATCH_TABLE);
  const ports = composeManageKeys({
    now,
    newVersion: outside.uniqueNumber,
    random: () => outside.randomBytes(32),
    table,
  });

  const counter = createRequestCounter({
    now,
    unitsPerMinute: environment.API_UNITS_PER_MINUTE,
    usage: createUsageStore(table, 'api'),
  });

  return httpFunction(
    { log, corsOrigins: environment.CORS_ORIGINS, limit: limited(counter, keyRoutes, log) },
    (event) => manageKeys(ports, event),
  );
}
