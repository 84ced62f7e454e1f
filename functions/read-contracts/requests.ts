import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { Moment } from '#shared/domain/rules/alert-rule.ts';
import { cursorParameter, limitParameter, pageOf } from '#shared/http/cursor.ts';

export const ContractPath = z.object({ contract: ContractKey });

/** The cursors are contracts. */
export const ContractsQuery = pageOf('');

export const HistoryQuery = z.strictObject({
  part: z.enum(['floor', 'lowest.1d', 'lowest.7d', 'lowest.30d', 'lowest.90d']).default('floor'),
  from: Moment.optional(),
  to: Moment.optional(),
  limit: limitParameter(500),
  cursor: cursorParameter('').optional(),
});
export type HistoryQuery = z.output<typeof HistoryQuery>;
