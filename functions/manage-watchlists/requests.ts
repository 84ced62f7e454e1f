import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { cursorParameter, pageOf } from '#shared/http/cursor.ts';

export const WatchlistsQuery = pageOf('LIST#');

export const WatchesQuery = z.strictObject({ cursor: cursorParameter('').optional() });

/** What is said of a contract that the path names. */
export const MemberReplacement = z.strictObject({
  contract: ContractKey.optional(),
  name: Line.optional(),
});

/** The part of a watch's path that is below its list. */
export const WatchPath = z.object({ contract: ContractKey, rule: Identifier });

export const AlertsQuery = pageOf('ALERT#');
