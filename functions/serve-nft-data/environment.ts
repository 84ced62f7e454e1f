import * as z from 'zod';
import { NftDataSourcesVariable } from '#shared/domain/nft-data/sources.ts';
import { Positive } from '#shared/domain/positive.ts';
import { crossOriginVariables } from '#shared/http/cross-origin.ts';
import { allProvidersVariables } from '#shared/runtime/upstream-variables.ts';

/** The environment variables of `serve-nft-data`, set by the stack. */
export const ServeNftDataEnvironment = z.object({
  WATCH_TABLE: z.string().min(1),
  NFT_DATA_SOURCES: NftDataSourcesVariable,
  /** The units of a tenant per minute; see `request-units.ts`. */
  NFT_DATA_UNITS_PER_MINUTE: Positive,
  ...allProvidersVariables,
  ...crossOriginVariables,
});
