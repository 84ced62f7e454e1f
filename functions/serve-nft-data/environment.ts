import * as z from 'zod';
import { NftDataSourcesVariable } from '#shared/domain/nft-data/sources.ts';
import { upstreamVariables } from '#shared/domain/polling/upstream-limits.ts';

/** What `serve-nft-data` must be told by the stack. */
export const ServeNftDataEnvironment = z.object({
  WATCH_TABLE: z.string().min(1),
  NFT_DATA_SOURCES: NftDataSourcesVariable,
  ...upstreamVariables,
});
