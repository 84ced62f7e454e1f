import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createChangeStore } from '#shared/stores/change-store.ts';
import type { Table } from '#shared/stores/table.ts';
import type { ManageKeysPorts } from './ports.ts';

type Outside = Pick<ManageKeysPorts, 'now' | 'newVersion' | 'random'> & { readonly table: Table };

/** The ports of one instance of this function. */
export function composeManageKeys({ table, ...outside }: Outside): ManageKeysPorts {
  return {
    ...outside,
    keys: createApiKeyStore(table),
    putChange: createChangeStore(table).put,
  };
}
