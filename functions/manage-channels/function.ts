import { apiFunction } from '#shared/http/api-function.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { composeManageChannels, type ManageChannelsOutside } from './compose.ts';
import { channelRoutes, manageChannels } from './routes.ts';

export function manageChannelsFunction(outside: ManageChannelsOutside) {
  const { earlyAbortMs, now } = outside;
  const { ports, table, environment } = composeManageChannels(outside);
  const log = outside.logOf('manage-channels');

  return apiFunction(
    {
      earlyAbortMs,
      now,
      log,
      environment,
      routes: channelRoutes,
      usage: createUsageStore(table, 'api'),
    },
    (event) => manageChannels(ports, event),
  );
}
