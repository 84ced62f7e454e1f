import { isWhole } from './extent.ts';
import { IN_MEMORY, SQLITE, type TableEngine } from './tables.ts';

/**
 * The tables for the tests of stores; `test/contract/table.test.ts` checks that both behave the
 * same.
 */
export const ENGINES: readonly TableEngine[] = isWhole ? [IN_MEMORY, SQLITE] : [IN_MEMORY];
