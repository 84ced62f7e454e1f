import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { cursorParameter, limitParameter, pageOf } from '#shared/http/cursor.ts';

export const WatchlistsQuery = pageOf('LIST#');

export const PutQuery = z.strictObject({
  dryRun: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
});

export const WatchesQuery = z.strictObject({ cursor: cursorParameter('').optional() });

/** What is said of a contract that the path names. */
export const MemberReplacement = z.strictObject({
  contract: ContractKey.optional(),
  name: Line.optional(),
});

/** The part of a watch's path that is below its list. */
export const WatchPath = z.object({ contract: ContractKey, rule: Identifier });

/** An entry of the trail may name a thousand parts of a list: so a page holds fewer of them. */
export const ChangesQuery = z.strictObject({
  limit: limitParameter(25),
  cursor: cursorParameter('CHANGE#').optional(),
  watchlist: Identifier.optional(),
});

export const AlertsQuery = pageOf('ALERT#');
