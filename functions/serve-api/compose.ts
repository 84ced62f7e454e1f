import { createRequestCounter } from '#shared/http/count-request.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { composeContracts } from './contracts/compose.ts';
import { ServeApiEnvironment } from './environment.ts';
import { composeOperations } from './operations/compose.ts';
import type { ServeApiOutside, Shared } from './outside.ts';
import { composeWatchlists } from './watchlists/compose.ts';

/** The ports of one instance of this function, by the resources that its routes are about. */
export function composeServeApi(outside: ServeApiOutside) {
  const environment = readEnvironment(ServeApiEnvironment, outside.variables);
  const table = outside.table(environment.WATCH_TABLE);
  const log = outside.logOf('serve-api');
  const counter = createRequestCounter({
    now: outside.now,
    unitsPerMinute: environment.API_UNITS_PER_MINUTE,
    usage: createUsageStore(table, 'api'),
  });
  const shared: Shared = { environment, table, log, counter };
  return {
    ...shared,
    watchlists: composeWatchlists(outside, shared),
    contracts: composeContracts(outside, shared),
    operations: composeOperations(outside, shared),
  };
}
