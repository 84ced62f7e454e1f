import * as z from 'zod';
import { upstreamVariables } from '#shared/domain/polling/upstream-limits.ts';

/** What `serve-nft-data` must be told by the stack. */
export const ServeNftDataEnvironment = z.object({
  WATCH_TABLE: z.string().min(1),
  ...upstreamVariables,
});
