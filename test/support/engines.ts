import { isWhole } from './extent.ts';
import { DYNALITE, IN_MEMORY, type TableEngine } from './tables.ts';

/** What stores are tried on: `test/contract/table.test.ts` shows that both do the same. */
export const ENGINES: readonly TableEngine[] = isWhole ? [IN_MEMORY, DYNALITE] : [IN_MEMORY];
