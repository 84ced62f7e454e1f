import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { ManageKeysEnvironment } from './environment.ts';
import type { ManageKeysPorts } from './ports.ts';

export type ManageKeysOutside = Basics & Pick<Outside, 'table'>;

/** Creates the ports of one Lambda instance. */
export function composeManageKeys(outside: ManageKeysOutside) {
  const environment = readEnvironment(ManageKeysEnvironment, outside.variables);
  const table = outside.table(environment.WATCH_TABLE);
  const keys = createApiKeyStore(table);
  const ports: ManageKeysPorts = {
    now: outside.now,
    newVersion: outside.uniqueNumber,
    random: () => outside.randomBytes(32),
    keys,
    allKeys: keys,
  };
  return { ports, table, environment };
}
