import { isWhole } from './extent.ts';
import { IN_MEMORY, SQLITE, type TableEngine } from './tables.ts';

/** What stores are tried on: `test/contract/table.test.ts` shows that both do the same. */
export const ENGINES: readonly TableEngine[] = isWhole ? [IN_MEMORY, SQLITE] : [IN_MEMORY];
